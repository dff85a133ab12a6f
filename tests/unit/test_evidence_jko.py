"""JKO steps against closed forms for Gaussians, the softmax limit, and the symmetries of the problem."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from methods.evidence import jko
from methods.evidence.jko import GridKernel, PointKernel, energy, linear_step, one_step, scaling_step

N = 250
X = ((torch.arange(N, dtype=torch.float64) + 0.5) / N).unsqueeze(-1)


def gaussian(mean, variance):
    log_p = -((X[:, 0] - mean) ** 2) / (2 * variance)
    return log_p - torch.logsumexp(log_p, 0)


def moments(log_p):
    p = log_p.exp()
    mean = (p * X[:, 0]).sum()
    return mean.item(), (p * (X[:, 0] - mean) ** 2).sum().item()


def variance_after(s0, gamma, tau_lambda, tau_k=0.0):
    """Variance of a Gaussian after one step for entropy, and a quadratic potential about its mean."""

    def slope(v):
        c = (-gamma + math.sqrt(gamma**2 + 16 * v * (s0 or v))) / 4
        start = s0 or v
        return 1 + tau_k - gamma / 2 * start / (v * start - c**2) - tau_lambda / (2 * v)

    return brentq(slope, 1e-5, 0.2)


def random_case(seed, count=40, batch=()):
    generator = torch.Generator().manual_seed(seed)
    points = torch.rand(*batch, count, 2, generator=generator, dtype=torch.float64)
    potential = torch.rand(*batch, count, generator=generator, dtype=torch.float64)
    log_q = torch.log_softmax(torch.randn(*batch, count, generator=generator, dtype=torch.float64), -1)
    return points, potential, log_q


@given(st.integers(0, 10_000), st.floats(1e-4, 10.0), st.floats(0.01, 100.0))
@settings(max_examples=60, deadline=None)
def test_mass_is_kept_and_the_plan_has_both_marginals(seed, gamma, sigma):
    points, potential, log_q = random_case(seed)
    kernel = PointKernel(points, gamma)
    steps = [
        linear_step(log_q, potential, kernel, sigma),
        scaling_step(log_q, potential, kernel, sigma, entropy=0.1, iterations=5),
        scaling_step(log_q, potential, kernel, sigma, most=0.1, iterations=5),
    ]
    for step in steps:
        assert step.log_p.exp().sum().item() == pytest.approx(1, abs=1e-10)
        plan = step.plan(kernel)
        torch.testing.assert_close(plan.sum(-2), log_q.exp(), atol=1e-10, rtol=0)
        torch.testing.assert_close(plan.sum(-1), step.log_p.exp(), atol=1e-10, rtol=0)


@pytest.mark.parametrize("gamma", [4e-4, 1e-3, 2e-3])
def test_an_entropy_step_widens_a_gaussian_as_the_closed_form_says(gamma):
    s0, tau, lam = 0.0036, 0.02, 0.1
    step = scaling_step(
        gaussian(0.5, s0),
        torch.zeros(N, dtype=torch.float64),
        PointKernel(X, gamma),
        tau / gamma,
        lam,
        iterations=400,
    )
    mean, variance = moments(step.log_p)
    assert mean == pytest.approx(0.5, abs=1e-9)
    assert variance == pytest.approx(variance_after(s0, gamma, tau * lam), rel=1e-4)


def test_heat_flow_gains_lambda_tau_per_step_as_gamma_falls():
    s0, tau, lam = 0.0036, 0.02, 0.1
    gains = [variance_after(s0, gamma, tau * lam) - s0 for gamma in (1e-3, 1e-4, 1e-6)]
    # One implicit step of size h = tau / 2 for dp/dt = lambda p'': sqrt-implicit, 2 lambda h to first order.
    assert gains[0] > gains[1] > gains[2]
    small = [(variance_after(s0, 1e-9, t * lam) - s0) / (t * lam) for t in (1e-3, 1e-4)]
    assert small[1] == pytest.approx(1, abs=0.01) and abs(small[1] - 1) < abs(small[0] - 1)


@pytest.mark.parametrize("tau", [0.25, 1.0])
def test_a_quadratic_potential_pulls_a_gaussian_as_the_closed_form_says(tau):
    gamma, m = 1e-3, 0.7
    potential = (X[:, 0] - m) ** 2
    log_p, mean, variance = gaussian(0.4, 0.003), 0.4, 0.003
    kernel = PointKernel(X, gamma)
    for _ in range(4):
        log_p = linear_step(log_p, potential, kernel, tau / gamma).log_p
        mean = (mean + tau * m) / (1 + tau)
        variance = variance / (1 + tau) ** 2 + gamma / (2 * (1 + tau))
        assert moments(log_p) == pytest.approx((mean, variance), rel=2e-4)


def test_the_fokker_planck_flow_comes_to_rest_at_its_entropic_fixed_point():
    gamma, tau, k = 5e-4, 0.1, 1.0
    lam = 0.01  # the true equilibrium has the variance lambda / 2k = .005
    potential, kernel = k * (X[:, 0] - 0.5) ** 2, PointKernel(X, gamma)
    log_p = gaussian(0.4, 0.002)
    for _ in range(60):
        log_p = scaling_step(log_p, potential, kernel, tau / gamma, lam, iterations=40).log_p
    mean, variance = moments(log_p)
    assert mean == pytest.approx(0.5, abs=1e-3)
    assert variance == pytest.approx(variance_after(0, gamma, tau * lam, tau * k), rel=2e-3)
    assert variance == pytest.approx(0.005, rel=0.6) and variance > 0.005


def test_energy_falls_at_every_step_of_a_small_gamma():
    potential = 0.3 * torch.cos(9 * X[:, 0]) + X[:, 0] ** 2
    log_p, kernel = gaussian(0.5, 0.02), PointKernel(X, 2e-4)
    energies = [energy(log_p, potential, 0.02).item()]
    for _ in range(25):
        log_p = scaling_step(log_p, potential, kernel, 0.05 / 2e-4, 0.02, iterations=60).log_p
        energies.append(energy(log_p, potential, 0.02).item())
    assert all(later < earlier + 1e-9 for earlier, later in pairwise(energies))
    assert energies[-1] < energies[0] - 0.05


def test_a_step_of_endless_reach_is_the_softmax():
    points, potential, _ = random_case(3)
    uniform = torch.full((40,), -math.log(40), dtype=torch.float64)
    beta, gaps = 3.0, []
    for gamma in (1.0, 10.0, 100.0, 1e4):
        step = linear_step(uniform, potential, PointKernel(points, gamma), beta)
        gaps.append((step.log_p.exp() - one_step(potential, beta).exp()).abs().sum().item())
    assert gaps == sorted(gaps, reverse=True) and gaps[-1] < 1e-4
    assert gaps[1] / gaps[2] == pytest.approx(10, rel=0.1), "of first order in 1 / gamma"


def test_a_constant_potential_only_smooths_and_keeps_the_order_of_tokens():
    points, _, log_q = random_case(4)
    kernel = PointKernel(points, 0.01)
    step = linear_step(log_q, torch.ones(40, dtype=torch.float64), kernel, 5.0)
    weights = torch.softmax(kernel.log, 0)
    torch.testing.assert_close(step.log_p.exp(), weights @ log_q.exp())
    order = torch.randperm(40, generator=torch.Generator().manual_seed(0))
    potential = points[:, 0]
    whole = linear_step(log_q, potential, kernel, 5.0).log_p
    moved = linear_step(log_q[order], potential[order], PointKernel(points[order], 0.01), 5.0).log_p
    torch.testing.assert_close(moved, whole[order])


@given(st.integers(0, 1000), st.floats(0.1, 10.0), st.floats(-5, 5))
@settings(max_examples=30, deadline=None)
def test_moving_and_scaling_the_page_with_its_reach_changes_nothing(seed, scale, shift):
    points, potential, log_q = random_case(seed)
    # tau scales with gamma, so sigma = tau / gamma stays.
    one = linear_step(log_q, potential, PointKernel(points, 0.02), 3.0).log_p
    two = linear_step(log_q, potential, PointKernel(scale * points + shift, scale**2 * 0.02), 3.0).log_p
    torch.testing.assert_close(one, two, atol=1e-6, rtol=1e-6)


def test_a_batch_is_its_members_and_a_grid_its_points():
    points, potential, log_q = random_case(5, batch=(3,))
    gamma, sigma = torch.tensor([0.01, 0.1, 1.0], dtype=torch.float64), torch.tensor([1.0, 5.0, 9.0])
    together = linear_step(log_q, potential, PointKernel(points, gamma), sigma.double()).log_p
    for i in range(3):
        alone = linear_step(log_q[i], potential[i], PointKernel(points[i], gamma[i]), sigma[i].item()).log_p
        torch.testing.assert_close(together[i], alone)
    grid = GridKernel(6, 9, 0.03)
    values = torch.randn(54, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(grid.smooth(values), PointKernel(grid.points, 0.03).smooth(values))


def test_congestion_is_kept_and_the_flow_reaches_the_potential():
    points, potential, log_q = random_case(6)
    kernel = PointKernel(points, 0.05)
    step = scaling_step(log_q, potential, kernel, 60.0, most=0.08, iterations=2000)
    assert step.log_p.exp().max().item() <= 0.08 + 1e-6


@pytest.mark.parametrize("gamma", [1e-4, 1e-3, 0.01, 1.0])
def test_float32_stays_finite_and_differentiable(gamma):
    points, potential, log_q = (t.float() for t in random_case(7))
    w = potential.clone().requires_grad_()
    steps = jko.unroll(log_q, w, [PointKernel(points, gamma)] * 5, [1.0 / gamma] * 5)
    assert all(torch.isfinite(step.log_p).all() for step in steps)
    steps[-1].log_p.exp()[3].backward()
    assert torch.isfinite(w.grad).all() and w.grad[3] <= 0
    assert steps[-1].log_p.exp().sum().item() == pytest.approx(1, abs=1e-4)


def test_gradients_are_those_of_finite_differences():
    points, potential, log_q = random_case(8, count=7)
    kernel = PointKernel(points, 0.05)

    def last(w):
        return jko.unroll(log_q, w, [kernel] * 3, [2.0, 3.0, 4.0])[-1].log_p.exp()

    assert torch.autograd.gradcheck(last, (potential.requires_grad_(),))
