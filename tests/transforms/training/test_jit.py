"""`--jit` compiles the function to differentiate, and says where it cannot."""

from __future__ import annotations

from tests.transforms.training.stepped import convert


def test_the_function_alone_is_decorated() -> None:
    result = convert(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches):
            for x, y in batches:
                out = model(x)
                loss = nn.functional.mse_loss(out, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                print(out.shape)
        """,
        jit=True,
    )
    assert "    @mindspore.jit\n    def forward_fn(x, y):" in result.text
    assert result.text.count("@mindspore.jit") == 1


def test_host_code_is_not_compiled() -> None:
    result = convert(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches, seen):
            for x, y in batches:
                out = model(x)
                loss = nn.functional.mse_loss(out, y) / out.mean().item()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """,
        jit=True,
    )
    assert "mindspore.jit" not in result.text
    assert [d.message for d in result.diagnostics if d.code == "T2M206"] == [
        "the forward function is not compiled: out.mean().item runs in Python"
    ]


def test_without_the_option_nothing_is_compiled_or_said() -> None:
    result = convert("""
        def train(model: nn.Linear, optimizer: torch.optim.SGD, x):
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        """)
    assert "jit" not in result.text
    assert not [d for d in result.diagnostics if d.code == "T2M206"]
