"""What the code means, computed once per file on the standard `ast`: names, kinds, flow, aliases."""
