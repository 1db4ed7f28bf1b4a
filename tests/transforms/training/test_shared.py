"""Values that several backwards hang on: vjp, and losses that are added."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_fakes_of_a_gan() -> None:
    check(
        """
        def train(netG: nn.Linear, netD: nn.Linear, criterion: nn.BCEWithLogitsLoss, batches):
            optimizerD = torch.optim.Adam(netD.parameters())
            optimizerG = torch.optim.Adam(netG.parameters())
            for real, noise, ones, zeros in batches:
                netD.zero_grad()
                errD_real = criterion(netD(real), ones)
                errD_real.backward()
                fake = netG(noise)
                errD_fake = criterion(netD(fake.detach()), zeros)
                errD_fake.backward()
                optimizerD.step()

                netG.zero_grad()
                errG = criterion(netD(fake), ones)
                errG.backward()
                optimizerG.step()
        """,
        """
        def train(netG: mint.nn.Linear, netD: mint.nn.Linear, criterion: mint.nn.BCEWithLogitsLoss, batches):
            optimizerD = optim.Adam(netD.parameters())
            optimizerG = optim.Adam(netG.parameters())
            for real, noise, ones, zeros in batches:
                def errD_real_fn():
                    errD_real = criterion(netD(real), ones)
                    return errD_real

                errD_real, gradsD = value_and_grad(errD_real_fn, None, optimizerD.parameters)()
                fake, pull = vjp(netG, noise, weights=optimizerG.parameters)

                def errD_fake_fn():
                    errD_fake = criterion(netD(ops.stop_gradient(fake)), zeros)
                    return errD_fake

                errD_fake, step_gradsD = value_and_grad(errD_fake_fn, None, optimizerD.parameters)()
                gradsD = accumulate(gradsD, step_gradsD)
                optimizerD(gradsD)

                def errG_fn(fake):
                    errG = criterion(netD(fake), ones)
                    return errG

                errG, grad_fake = value_and_grad(errG_fn)(fake)
                _, gradsG = pull(grad_fake)
                optimizerG(gradsG)
        """,
        closure=2,
        vjp=1,
    )


def test_made_in_two_steps() -> None:
    check(
        """
        def train(body: nn.Linear, head: nn.Linear, critic: nn.Linear, batches):
            opt_g = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
            opt_c = torch.optim.SGD(critic.parameters(), lr=0.1)
            for z in batches:
                h = body(z)
                fake = head(h.relu())
                opt_c.zero_grad()
                loss_c = critic(fake.detach()).mean()
                loss_c.backward()
                opt_c.step()
                opt_g.zero_grad()
                loss_g = -critic(fake).mean()
                loss_g.backward()
                opt_g.step()
        """,
        """
        def train(body: mint.nn.Linear, head: mint.nn.Linear, critic: mint.nn.Linear, batches):
            opt_g = optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
            opt_c = optim.SGD(critic.parameters(), lr=0.1)
            for z in batches:
                def fake_fn():
                    h = body(z)
                    fake = head(mint.nn.functional.relu(h))
                    return fake

                fake, pull = vjp(fake_fn, weights=opt_g.parameters)

                def loss_c_fn():
                    loss_c = critic(ops.stop_gradient(fake)).mean()
                    return loss_c

                loss_c, grads_c = value_and_grad(loss_c_fn, None, opt_c.parameters)()
                opt_c(grads_c)

                def loss_g_fn(fake):
                    loss_g = -critic(fake).mean()
                    return loss_g

                loss_g, grad_fake = value_and_grad(loss_g_fn)(fake)
                _, grads_g = pull(grad_fake)
                opt_g(grads_g)
        """,
        closure=1,
        vjp=1,
    )


def test_the_generator_first_needs_no_sharing() -> None:
    check(
        """
        def train(generator: nn.Linear, critic: nn.Linear, batches):
            optimizer_G = torch.optim.SGD(generator.parameters(), lr=0.1)
            optimizer_D = torch.optim.SGD(critic.parameters(), lr=0.1)
            for z in batches:
                optimizer_G.zero_grad()
                fake = generator(z)
                g_loss = -critic(fake).mean()
                g_loss.backward()
                optimizer_G.step()
                optimizer_D.zero_grad()
                d_loss = critic(fake.detach()).mean()
                d_loss.backward()
                optimizer_D.step()
        """,
        """
        def train(generator: mint.nn.Linear, critic: mint.nn.Linear, batches):
            optimizer_G = optim.SGD(generator.parameters(), lr=0.1)
            optimizer_D = optim.SGD(critic.parameters(), lr=0.1)
            for z in batches:
                def g_loss_fn():
                    fake = generator(z)
                    g_loss = -critic(fake).mean()
                    return g_loss, fake

                (g_loss, fake), grads_G = value_and_grad(g_loss_fn, None, optimizer_G.parameters, has_aux=True)()
                optimizer_G(grads_G)

                def d_loss_fn():
                    d_loss = critic(ops.stop_gradient(fake)).mean()
                    return d_loss

                d_loss, grads_D = value_and_grad(d_loss_fn, None, optimizer_D.parameters)()
                optimizer_D(grads_D)
        """,
        closure=2,
    )


def test_retain_graph_adds_the_losses() -> None:
    check(
        """
        def train(trunk: nn.Linear, a: nn.Linear, b: nn.Linear, batches):
            opt = torch.optim.SGD([*trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.1)
            for x in batches:
                h = trunk(x)
                first = a(h).mean()
                second = b(h).mean()
                opt.zero_grad()
                first.backward(retain_graph=True)
                second.backward()
                opt.step()
                print(first.item(), second.item())
        """,
        """
        def train(trunk: mint.nn.Linear, a: mint.nn.Linear, b: mint.nn.Linear, batches):
            opt = optim.SGD([*trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.1)

            def forward_fn(x):
                h = trunk(x)
                first = a(h).mean()
                second = b(h).mean()
                return first + second, first, second

            grad_fn = value_and_grad(forward_fn, None, opt.parameters, has_aux=True)

            def train_step(x):
                (_, first, second), grads = grad_fn(x)
                opt(grads)
                return first, second

            for x in batches:
                first, second = train_step(x)
                print(first.item(), second.item())
        """,
        lifted=2,
    )


def test_two_arms_share_their_forward() -> None:
    check(
        """
        class Trainer:
            def __init__(self, model: nn.Linear):
                self.model = model
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
                self.scaler = torch.amp.GradScaler("cpu")

            def run_batch(self, x, y, mixed):
                loss = nn.functional.mse_loss(self.model(x), y)
                self.optimizer.zero_grad()
                if mixed:
                    self.scaler.scale(loss).backward()
                    self.scaler.step(self.optimizer)
                    self.scaler.update()
                else:
                    loss.backward()
                    self.optimizer.step()
                return loss.item()
        """,
        """
        class Trainer:
            def __init__(self, model: mint.nn.Linear):
                self.model = model
                self.optimizer = optim.SGD(self.model.parameters(), lr=0.1)
                self.scaler = amp.GradScaler()

            def run_batch(self, x, y, mixed):
                def loss_fn():
                    loss = mint.nn.functional.mse_loss(self.model(x), y)
                    return loss

                loss, pull = vjp(loss_fn, weights=self.optimizer.parameters)
                self.optimizer.zero_grad()
                if mixed:
                    def forward_fn(loss):
                        return self.scaler.scale(loss)

                    _, grad_loss = value_and_grad(forward_fn)(loss)
                    _, step_grads = pull(grad_loss, retain_graph=True)
                    backward_into(self.optimizer.parameters, None, step_grads)
                    self.scaler.step(self.optimizer)
                    self.scaler.update()
                else:
                    _, grads_ = pull(mint.ones_like(loss))
                    self.optimizer(grads_)
                return loss.item()
        """,
        vjp=2,
    )


def test_other_values_of_the_production() -> None:
    check(
        """
        def train(generator: nn.Linear, critic: nn.Linear, batches):
            opt_g = torch.optim.SGD(generator.parameters(), lr=0.1)
            opt_c = torch.optim.SGD(critic.parameters(), lr=0.1)
            for z in batches:
                h = generator(z)
                scale = h.abs().mean()
                fake = h / scale
                opt_c.zero_grad()
                loss_c = critic(fake.detach()).mean()
                loss_c.backward()
                opt_c.step()
                opt_g.zero_grad()
                loss_g = -critic(fake).mean()
                loss_g.backward()
                opt_g.step()
                print(scale.item())
        """,
        """
        def train(generator: mint.nn.Linear, critic: mint.nn.Linear, batches):
            opt_g = optim.SGD(generator.parameters(), lr=0.1)
            opt_c = optim.SGD(critic.parameters(), lr=0.1)
            for z in batches:
                def fake_fn():
                    h = generator(z)
                    scale = h.abs().mean()
                    fake = h / scale
                    return fake, scale

                fake, pull, (scale,) = vjp(fake_fn, weights=opt_g.parameters, has_aux=True)

                def loss_c_fn():
                    loss_c = critic(ops.stop_gradient(fake)).mean()
                    return loss_c

                loss_c, grads_c = value_and_grad(loss_c_fn, None, opt_c.parameters)()
                opt_c(grads_c)

                def loss_g_fn(fake):
                    loss_g = -critic(fake).mean()
                    return loss_g

                loss_g, grad_fake = value_and_grad(loss_g_fn)(fake)
                _, grads_g = pull(grad_fake)
                opt_g(grads_g)
                print(scale.item())
        """,
        closure=1,
        vjp=1,
    )
