"""The lifted form: forward_fn, grad_fn and train_step before the loop."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_loss_alone() -> None:
    check(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, criterion: nn.MSELoss, loader):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
        """,
        """
        def train(model: mint.nn.Linear, optimizer: optim.SGD, criterion: mint.nn.MSELoss, loader):
            def forward_fn(x, y):
                loss = criterion(model(x), y)
                return loss

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
            for x, y in loader:
                loss, grads = grad_fn(x, y)
                optimizer(grads)
        """,
        lifted=1,
    )


def test_outputs_used_after() -> None:
    check(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, criterion: nn.CrossEntropyLoss, loader):
            hits = 0
            for i, (x, y) in enumerate(loader):
                # forward
                out = model(x)
                loss = criterion(out, y)

                # backward
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += (out.argmax(1) == y).sum().item()
            return hits
        """,
        """
        def train(model: mint.nn.Linear, optimizer: optim.SGD, criterion: mint.nn.CrossEntropyLoss, loader):
            hits = 0

            def forward_fn(x, y):
                # forward
                out = model(x)
                loss = criterion(out, y)
                return loss, out

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

            def train_step(x, y):
                (loss, out), grads = grad_fn(x, y)
                optimizer(grads)
                return loss, out

            for i, (x, y) in enumerate(loader):
                # backward
                loss, out = train_step(x, y)
                hits += (out.argmax(1) == y).sum().item()
            return hits
        """,
        lifted=1,
    )


def test_item_and_print_before_backward() -> None:
    check(
        """
        def train(model: nn.Linear, optimizer: torch.optim.Adam, criterion: nn.MSELoss, loader):
            total = 0.0
            for x, y in loader:
                pred = model(x)
                loss = criterion(pred, y)
                total += loss.item()
                print(loss.item())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return total
        """,
        """
        def train(model: mint.nn.Linear, optimizer: optim.Adam, criterion: mint.nn.MSELoss, loader):
            total = 0.0

            def forward_fn(x, y):
                pred = model(x)
                loss = criterion(pred, y)
                return loss

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
            for x, y in loader:
                loss, grads = grad_fn(x, y)
                total += loss.item()
                print(loss.item())
                optimizer(grads)
            return total
        """,
        lifted=1,
    )


def test_module_zero_grad_and_clipping() -> None:
    check(
        """
        def train(model: nn.Linear, criterion: nn.MSELoss, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                model.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
        """,
        """
        def train(model: mint.nn.Linear, criterion: mint.nn.MSELoss, batches):
            optimizer = optim.SGD(model.parameters(), lr=0.1)

            def forward_fn(x, y):
                loss = criterion(model(x), y)
                return loss

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
            for x, y in batches:
                loss, grads = grad_fn(x, y)
                grads, _ = clip_grad_norm(grads, 0.5)
                optimizer(grads)
        """,
        lifted=1,
    )


def test_zero_grad_at_the_end_and_scheduler() -> None:
    check(
        """
        def train(model: nn.Linear, criterion: nn.MSELoss, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
            for x, y in batches:
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        """,
        """
        def train(model: mint.nn.Linear, criterion: mint.nn.MSELoss, batches):
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            scheduler = optim.lr_scheduler.StepLR(optimizer, 2)

            def forward_fn(x, y):
                loss = criterion(model(x), y)
                return loss

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
            for x, y in batches:
                loss, grads = grad_fn(x, y)
                optimizer(grads)
                scheduler.step()
        """,
        lifted=1,
    )


def test_clipping_what_only_looks_wider() -> None:
    check(
        """
        def train(body: nn.Linear, criterion: nn.MSELoss, batches):
            model = nn.Sequential(body, nn.Linear(3, 1))
            optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
            for x, y in batches:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
                optimizer.step()
                print(norm)
        """,
        """
        def train(body: mint.nn.Linear, criterion: mint.nn.MSELoss, batches):
            model = nn.SequentialCell(body, mint.nn.Linear(3, 1))
            optimizer = optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)

            def forward_fn(x, y):
                loss = criterion(model(x), y)
                return loss

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
            for x, y in batches:
                loss, grads = grad_fn(x, y)
                grads, norm = clip_grad_norm(grads, max_norm=1.0)
                optimizer(grads)
                print(norm)
        """,
        lifted=1,
    )


def test_carried_state() -> None:
    check(
        """
        def train(rnn: nn.GRUCell, optimizer: torch.optim.SGD, criterion: nn.MSELoss, batches, state):
            for x, y in batches:
                state = state.detach()
                state = rnn(x, state)
                loss = criterion(state, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return state
        """,
        """
        def train(rnn: nn.GRUCell, optimizer: optim.SGD, criterion: mint.nn.MSELoss, batches, state):
            def forward_fn(x, y, state):
                state = rnn(x, state)
                loss = criterion(state, y)
                return loss, state

            grad_fn = value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

            def train_step(x, y, state):
                (loss, state), grads = grad_fn(x, y, state)
                optimizer(grads)
                return loss, state

            for x, y in batches:
                state = ops.stop_gradient(state)
                loss, state = train_step(x, y, state)
            return state
        """,
        lifted=1,
    )


def test_loss_on_self() -> None:
    check(
        """
        class Trainer:
            def __init__(self, model: nn.Linear):
                self.model = model
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

            def run(self, batches):
                while True:
                    x, y = next(batches)
                    self.loss = nn.functional.mse_loss(self.model(x), y)
                    self.optimizer.zero_grad()
                    self.loss.backward()
                    self.optimizer.step()
                    if self.loss.item() < 0.1:
                        break
        """,
        """
        class Trainer:
            def __init__(self, model: mint.nn.Linear):
                self.model = model
                self.optimizer = optim.SGD(model.parameters(), lr=0.1)

            def run(self, batches):
                def forward_fn(x, y):
                    self.loss = mint.nn.functional.mse_loss(self.model(x), y)
                    return self.loss

                grad_fn = value_and_grad(forward_fn, None, self.optimizer.parameters)
                while True:
                    x, y = next(batches)
                    self.loss, grads = grad_fn(x, y)
                    self.optimizer(grads)
                    if self.loss.item() < 0.1:
                        break
        """,
        lifted=1,
    )
