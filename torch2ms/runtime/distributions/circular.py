"""The distribution of angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor

from .. import _backend, _rng, mint
from ._base import Distribution, host, numpy_type, positive, real, tensors

# Abramowitz and Stegun 9.8.1 to 9.8.4, as PyTorch computes the density
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)  # fmt: skip
_BORDER = 3.75


def _polynomial(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    value: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def log_bessel(x: Tensor, order: int) -> Tensor:
    """Return the logarithm of the modified Bessel function of order 0 or 1, for x > 0."""
    # each formula on its own side of the border only, so that its gradient is finite
    below, above = mint.clamp(x, max=_BORDER), mint.clamp(x, min=_BORDER)
    small = _polynomial((below / _BORDER) * (below / _BORDER), _SMALL[order])
    small = mint.log(below * small if order else small)
    large = above - 0.5 * mint.log(above) + mint.log(_polynomial(_BORDER / above, _LARGE[order]))
    return mint.where(x < _BORDER, small, large)


class VonMises(Distribution):
    """Angles about a direction; `concentration` is how near."""

    _named = ("loc", "concentration")

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = tensors(loc, concentration)
        super().__init__(self.loc.shape, (), validate_args)
        self._require("loc", self.loc, real, "Real()")
        self._require("concentration", self.concentration, positive, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The most likely angle."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance."""
        return 1 - mint.exp(log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0))

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        density = self.concentration * mint.cos(value - self.loc)
        return density - math.log(2 * math.pi) - log_bessel(self.concentration, 0)

    def _width(self) -> np.ndarray:
        """The parameter of the wrapped Cauchy distribution that proposes angles."""
        kappa = host(self.concentration).astype(np.float64)
        tau = 1 + np.sqrt(1 + 4 * kappa**2)
        rho = (tau - np.sqrt(2 * tau)) / (2 * kappa)
        near_zero = kappa < 1e-5
        return np.where(near_zero, 1 / kappa + kappa, (1 + rho**2) / (2 * np.where(near_zero, 1, rho)))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw angles in [-pi, pi), by rejection (Best and Fisher 1979)."""
        shape = self._extended_shape(sample_shape)
        with _backend.grad_mode(False):
            kappa, width = host(self.concentration).astype(np.float64), self._width()
            angle, done = np.zeros(shape), np.zeros(shape, np.bool_)
            while not done.all():
                u1, u2, u3 = _rng.uniform((3, *shape), dtype=np.float64)
                z = np.cos(math.pi * u1)
                f = (1 + width * z) / (width + z)
                c = kappa * (width - f)
                with np.errstate(divide="ignore"):
                    accepted = (c * (2 - c) - u2 > 0) | (np.log(c / u2) + 1 - c >= 0)
                angle = np.where(accepted, np.sign(u3 - 0.5) * np.arccos(f), angle)
                done |= accepted
            turned = (angle + math.pi + host(self.loc)) % (2 * math.pi) - math.pi
            return Tensor(turned.astype(numpy_type(self.loc)), self.loc.dtype)
