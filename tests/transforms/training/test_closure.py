"""The closure form: steps outside loops, accumulation, conditions."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_outside_a_loop() -> None:
    check(
        """
        def step(model: nn.Linear, optimizer: torch.optim.SGD, x, y):
            optimizer.zero_grad()
            out = model(x)
            loss = nn.functional.mse_loss(out, y)
            loss.backward()
            optimizer.step()
            return loss.item(), out
        """,
        """
        def step(model: mint.nn.Linear, optimizer: optim.SGD, x, y):
            def forward_fn():
                out = model(x)
                loss = mint.nn.functional.mse_loss(out, y)
                return loss, out

            (loss, out), grads = value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)()
            optimizer(grads)
            return loss.item(), out
        """,
        closure=1,
    )


def test_input_rebound_in_the_region() -> None:
    check(
        """
        def step(model: nn.Linear, optimizer: torch.optim.SGD, x, y):
            out = model(x)
            x = x.view(-1)
            loss = (out - x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return x
        """,
        """
        def step(model: mint.nn.Linear, optimizer: optim.SGD, x, y):
            def forward_fn(x):
                out = model(x)
                x = x.view(-1)
                loss = (out - x).pow(2).mean()
                return loss, x

            (loss, x), grads = value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)(x)
            optimizer(grads)
            return x
        """,
        closure=1,
    )


def test_accumulation_with_a_tail() -> None:
    check(
        """
        def train(model: nn.Linear, criterion: nn.MSELoss, data):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            optimizer.zero_grad()
            for i, (x, y) in enumerate(data):
                loss = criterion(model(x), y) / 4
                loss.backward()
                if (i + 1) % 4 == 0 or i + 1 == len(data):
                    optimizer.step()
                    optimizer.zero_grad()
        """,
        """
        def train(model: mint.nn.Linear, criterion: mint.nn.MSELoss, data):
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            grads = None
            for i, (x, y) in enumerate(data):
                def forward_fn():
                    loss = criterion(model(x), y) / 4
                    return loss

                loss, step_grads = value_and_grad(forward_fn, None, optimizer.parameters)()
                grads = accumulate(grads, step_grads)
                if (i + 1) % 4 == 0 or i + 1 == len(data):
                    optimizer(grads)
                    grads = None
        """,
        closure=1,
    )


def test_step_behind_an_inner_loop() -> None:
    check(
        """
        def train(model: nn.Linear, criterion: nn.MSELoss, epochs):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for batches in epochs:
                optimizer.zero_grad()
                for x, y in batches:
                    loss = criterion(model(x), y)
                    loss.backward()
                optimizer.step()
        """,
        """
        def train(model: mint.nn.Linear, criterion: mint.nn.MSELoss, epochs):
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            for batches in epochs:
                grads = None
                for x, y in batches:
                    def forward_fn():
                        loss = criterion(model(x), y)
                        return loss

                    loss, step_grads = value_and_grad(forward_fn, None, optimizer.parameters)()
                    grads = accumulate(grads, step_grads)
                if grads is not None:
                    optimizer(grads)
        """,
        closure=1,
    )


def test_a_name_bound_on_one_branch() -> None:
    check(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches, verbose):
            for x, y in batches:
                out = model(x)
                if verbose:
                    text = str(out.shape)
                    loss = out.sum()
                else:
                    loss = out.mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return text
        """,
        """
        def train(model: mint.nn.Linear, optimizer: optim.SGD, batches, verbose):
            def forward_fn(x):
                nonlocal text
                out = model(x)
                if verbose:
                    text = str(out.shape)
                    loss = out.sum()
                else:
                    loss = out.mean()
                return loss

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
            text = None
            for x, y in batches:
                loss, grads = grad_fn(x)
                optimizer(grads)
            return text
        """,
        lifted=1,
    )


def test_train_or_evaluate() -> None:
    check(
        """
        def run(model: nn.Linear, optimizer: torch.optim.SGD, batches, training):
            for x, y in batches:
                loss = nn.functional.mse_loss(model(x), y)
                if training:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                print(loss.item())
        """,
        """
        def run(model: mint.nn.Linear, optimizer: optim.SGD, batches, training):
            for x, y in batches:
                def forward_fn():
                    loss = mint.nn.functional.mse_loss(model(x), y)
                    return loss

                loss, grads = value_and_grad(forward_fn, None, optimizer.parameters)() if training else (forward_fn(), None)
                if training:
                    optimizer(grads)
                print(loss.item())
        """,
        closure=1,
    )


def test_backward_under_a_test_of_the_loss() -> None:
    check(
        """
        def run(model: nn.Linear, optimizer: torch.optim.SGD, batches):
            for x, y in batches:
                loss = nn.functional.mse_loss(model(x), y)
                if loss.item() > 0.1:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        """,
        """
        def run(model: mint.nn.Linear, optimizer: optim.SGD, batches):
            for x, y in batches:
                def forward_fn():
                    loss = mint.nn.functional.mse_loss(model(x), y)
                    return loss

                loss, grads = value_and_grad(forward_fn, None, optimizer.parameters)()
                if loss.item() > 0.1:
                    optimizer(grads)
        """,
        closure=1,
    )


def test_two_optimizers_one_loss() -> None:
    check(
        """
        def train(encoder: nn.Linear, decoder: nn.Linear, batches):
            enc_opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
            dec_opt = torch.optim.SGD(decoder.parameters(), lr=0.1)
            for x in batches:
                enc_opt.zero_grad()
                dec_opt.zero_grad()
                if len(x) > 1:
                    loss = (decoder(encoder(x)) - x).pow(2).mean()
                    loss.backward()
                    enc_opt.step()
                    dec_opt.step()
        """,
        """
        def train(encoder: mint.nn.Linear, decoder: mint.nn.Linear, batches):
            enc_opt = optim.SGD(encoder.parameters(), lr=0.1)
            dec_opt = optim.SGD(decoder.parameters(), lr=0.1)
            weights = (*enc_opt.parameters, *dec_opt.parameters)

            def forward_fn(x):
                loss = (decoder(encoder(x)) - x).pow(2).mean()
                return loss

            grad_fn = value_and_grad(forward_fn, None, weights)
            for x in batches:
                if len(x) > 1:
                    loss, grads = grad_fn(x)
                    enc_opt(grads, weights)
                    dec_opt(grads, weights)
        """,
        lifted=1,
    )
