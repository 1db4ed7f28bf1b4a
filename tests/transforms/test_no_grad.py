"""`no_grad` disappears from code that nothing differentiates and stays where it is needed."""

from __future__ import annotations

from tests.transforms.training.stepped import check, convert


def test_a_block_of_an_evaluation_is_dedented() -> None:
    check(
        """
        def evaluate(model: nn.Linear, batches):
            total = 0.0
            with torch.no_grad():
                for x in batches:
                    # one batch
                    total += model(x).mean().item()
            return total
        """,
        """
        def evaluate(model: mint.nn.Linear, batches):
            total = 0.0
            for x in batches:
                # one batch
                total += model(x).mean().item()
            return total
        """,
    )


def test_a_decorator_disappears() -> None:
    check(
        """
        @torch.no_grad()
        def evaluate(model: nn.Linear, x):
            return model(x)


        @torch.inference_mode()
        def predict(model: nn.Linear, x):
            return model(x)
        """,
        """
        def evaluate(model: mint.nn.Linear, x):
            return model(x)


        def predict(model: mint.nn.Linear, x):
            return model(x)
        """,
    )


def test_a_target_network_in_a_training_loop() -> None:
    result = convert("""
        def train(student: nn.Linear, teacher: nn.Linear, optimizer: torch.optim.SGD, batches):
            for x in batches:
                with torch.no_grad():
                    wanted = teacher(x)
                loss = (student(x) - wanted).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """)
    assert "no_grad" not in result.text
    assert "def forward_fn(x, wanted):" in result.text


def test_inside_a_module_it_stays() -> None:
    result = convert("""
        class Net(nn.Module):
            def forward(self, x):
                with torch.no_grad():
                    scale = x.abs().mean()
                return x / scale
        """)
    assert "with no_grad():" in result.text


def test_in_a_function_that_a_step_calls_it_stays() -> None:
    result = convert("""
        def target(net: nn.Linear, x):
            with torch.no_grad():
                return net(x)


        def train(net: nn.Linear, optimizer: torch.optim.SGD, batches):
            for x in batches:
                loss = (net(x) - target(net, x)).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """)
    assert "with no_grad():" in result.text


def test_around_a_write_through_an_index_it_stays() -> None:
    result = convert("""
        @torch.no_grad()
        def mask(scores, n: int):
            scores[:, :n] = 0
            return scores
        """)
    assert "@no_grad()" in result.text


def test_a_dictionary_is_no_tensor() -> None:
    result = convert("""
        def evaluate(model: nn.Linear, x):
            results = {}
            with torch.no_grad():
                results["mean"] = model(x).mean().item()
            return results
        """)
    assert "no_grad" not in result.text


def test_in_a_tape_program_it_stays() -> None:
    result = convert("""
        @torch.no_grad()
        def evaluate(model: nn.Linear, x):
            return model(x)


        def update(optimizer: torch.optim.SGD, loss):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """)
    assert "@no_grad()" in result.text


def test_with_a_condition_it_becomes_the_runtime_s() -> None:
    result = convert("""
        def run(model: nn.Linear, x, training):
            with torch.set_grad_enabled(training):
                return model(x)
        """)
    assert "with set_grad_enabled(training):" in result.text
