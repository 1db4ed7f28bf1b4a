"""Functions of tensors as PyTorch programs write them: x is (2, 4, 6), m (4, 6), im (2, 4, 6, 6), v (2, 2, 4, 4, 4).

The name of the argument tells which one a function takes. All can be differentiated.
"""

import torch
import torch.nn.functional as F


def relu(x: torch.Tensor): return F.relu(x)
def gelu(x: torch.Tensor): return F.gelu(x)
def gelu_tanh(x: torch.Tensor): return F.gelu(x, approximate="tanh")
def silu(x: torch.Tensor): return F.silu(x)
def sigmoid(x: torch.Tensor): return torch.sigmoid(x)
def tanh(x: torch.Tensor): return torch.tanh(x)
def leaky_relu(x: torch.Tensor): return F.leaky_relu(x, 0.2)
def elu(x: torch.Tensor): return F.elu(x)
def selu(x: torch.Tensor): return F.selu(x)
def softplus(x: torch.Tensor): return F.softplus(x)
def mish(x: torch.Tensor): return F.mish(x)
def hardswish(x: torch.Tensor): return F.hardswish(x)
def hardtanh(x: torch.Tensor): return F.hardtanh(x)
def relu6(x: torch.Tensor): return F.relu6(x)
def glu(x: torch.Tensor): return F.glu(x, -1)
def logsigmoid(x: torch.Tensor): return F.logsigmoid(x)
def softmax(x: torch.Tensor): return F.softmax(x, dim=-1)
def softmax_m(x: torch.Tensor): return x.softmax(dim=-1)
def log_softmax(x: torch.Tensor): return F.log_softmax(x, dim=-1)
def softmax_f32(x: torch.Tensor): return F.softmax(x, dim=-1, dtype=torch.float32)
def add(x: torch.Tensor): return x + x
def addnum(x: torch.Tensor): return x + 1.5
def sub(x: torch.Tensor): return 1 - x
def mul(x: torch.Tensor): return x * x * 0.3
def div(x: torch.Tensor): return x / (x.abs() + 1)
def divnum(x: torch.Tensor): return x / 3
def rdiv(x: torch.Tensor): return 2.0 / (x.abs() + 1)
def neg(x: torch.Tensor): return -x
def pow2(x: torch.Tensor): return x ** 2
def pow_f(x: torch.Tensor): return x.abs() ** 1.5
def sqrt(x: torch.Tensor): return torch.sqrt(x.abs() + 1)
def rsqrt(x: torch.Tensor): return torch.rsqrt(x.abs() + 1)
def exp(x: torch.Tensor): return x.exp()
def log(x: torch.Tensor): return torch.log(x.abs() + 1)
def sin(x: torch.Tensor): return torch.sin(x)
def cos(x: torch.Tensor): return torch.cos(x)
def abs_(x: torch.Tensor): return x.abs()
def clamp(x: torch.Tensor): return x.clamp(-0.5, 0.5)
def clamp_min(x: torch.Tensor): return torch.clamp(x, min=0.1)
def maximum(x: torch.Tensor): return torch.maximum(x, -x)
def erf(x: torch.Tensor): return torch.erf(x)
def reciprocal(x: torch.Tensor): return torch.reciprocal(x.abs() + 1)
def log1p(x: torch.Tensor): return torch.log1p(x.abs())
def expm1(x: torch.Tensor): return torch.expm1(x)
def square(x: torch.Tensor): return torch.square(x)
def sum_all(x: torch.Tensor): return x.sum()
def sum_dim(x: torch.Tensor): return x.sum(-1)
def sum_dims(x: torch.Tensor): return torch.sum(x, dim=(0, 2))
def mean_all(x: torch.Tensor): return x.mean()
def mean_dim(x: torch.Tensor): return x.mean(dim=1, keepdim=True)
def var(x: torch.Tensor): return x.var(-1)
def std(x: torch.Tensor): return torch.std(x, dim=-1)
def norm(x: torch.Tensor): return x.norm(dim=-1)
def lnorm(x: torch.Tensor): return torch.linalg.norm(x)
def max_dim(x: torch.Tensor): return x.max(dim=-1)[0]
def max_all(x: torch.Tensor): return x.max()
def min_dim(x: torch.Tensor): return torch.min(x, -1).values
def amax(x: torch.Tensor): return x.amax(-1)
def prod(x: torch.Tensor): return x.prod(-1)
def cumsum(x: torch.Tensor): return x.cumsum(-1)
def logsumexp(x: torch.Tensor): return torch.logsumexp(x, -1)
def topk(x: torch.Tensor): return x.topk(2, dim=-1)[0]
def sort(x: torch.Tensor): return x.sort(-1)[0]
def cat(x: torch.Tensor): return torch.cat([x, x], dim=1)
def stack(x: torch.Tensor): return torch.stack([x, x])
def split(x: torch.Tensor): return torch.cat(x.split(3, -1), 0)
def chunk(x: torch.Tensor): return x.chunk(2, -1)[1]
def view(x: torch.Tensor): return x.view(2, -1)
def reshape(x: torch.Tensor): return x.reshape(-1)
def transpose(x: torch.Tensor): return x.transpose(1, 2)
def permute(x: torch.Tensor): return x.permute(2, 0, 1).contiguous()
def unsqueeze(x: torch.Tensor): return x.unsqueeze(1).squeeze(1)
def expand(x: torch.Tensor): return x[:, :1].expand(-1, 4, -1)
def repeat(x: torch.Tensor): return x.repeat(1, 2, 1)
def flatten(x: torch.Tensor): return x.flatten(1)
def flip(x: torch.Tensor): return x.flip(-1)
def roll(x: torch.Tensor): return torch.roll(x, 1, -1)
def index(x: torch.Tensor): return x[:, 0]
def index_slice(x: torch.Tensor): return x[:, 1:3]
def index_step(x: torch.Tensor): return x[:, ::2]
def index_mask(x: torch.Tensor): return x[x > 0]
def index_tensor(x: torch.Tensor): return x[torch.tensor([1, 0])]
def index_select(x: torch.Tensor): return x.index_select(1, torch.tensor([0, 2]))
def gather(x: torch.Tensor): return x.gather(1, torch.zeros(2, 1, 6, dtype=torch.long))
def where(x: torch.Tensor): return torch.where(x > 0, x, x * 0.1)
def where_num(x: torch.Tensor): return torch.where(x > 0, x, 0.0)
def masked_fill(x: torch.Tensor): return x.masked_fill(x > 0, float("-inf"))
def masked_fill0(x: torch.Tensor): return x.masked_fill(x > 0, 0.5)
def tril(x: torch.Tensor): return torch.tril(x)
def triu(x: torch.Tensor): return x.triu(1)
def matmul(x: torch.Tensor): return torch.matmul(x, x.transpose(1, 2))
def at(x: torch.Tensor): return x @ x.transpose(-2, -1)
def mm(m: torch.Tensor): return torch.mm(m, m.t())
def bmm(x: torch.Tensor): return torch.bmm(x, x.transpose(1, 2))
def mv(m: torch.Tensor): return m.mv(m[0])
def einsum(x: torch.Tensor): return torch.einsum("bij,bkj->bik", x, x)
def outer(m: torch.Tensor): return torch.outer(m[0], m[1])
def addmm(m: torch.Tensor): return torch.addmm(m[:, :4], m, m.t())
def baddbmm(x: torch.Tensor): return torch.baddbmm(x[:, :, :4], x, x.transpose(1, 2))
def linear(m: torch.Tensor): return F.linear(m, m)
def sdpa(im: torch.Tensor): return F.scaled_dot_product_attention(im, im, im)
def sdpa_causal(im: torch.Tensor): return F.scaled_dot_product_attention(im, im, im, is_causal=True)
def conv2d(im: torch.Tensor): return F.conv2d(im, im[:, :, :3, :3], padding=1)
def conv1d(x: torch.Tensor): return F.conv1d(x, x[:, :, :3])
def layer_norm(x: torch.Tensor): return F.layer_norm(x, (6,))
def group_norm(im: torch.Tensor): return F.group_norm(im, 2)
def normalize(x: torch.Tensor): return F.normalize(x, dim=-1)
def pad(im: torch.Tensor): return F.pad(im, (1, 1, 1, 1))
def pad_reflect(im: torch.Tensor): return F.pad(im, (1, 1, 1, 1), mode="reflect")
def interp(im: torch.Tensor): return F.interpolate(im, scale_factor=2, mode="nearest")
def interp_bil(im: torch.Tensor): return F.interpolate(im, scale_factor=2, mode="bilinear", align_corners=False)
def max_pool2d(im: torch.Tensor): return F.max_pool2d(im, 2)
def avg_pool2d(im: torch.Tensor): return F.avg_pool2d(im, 2)
def adaptive(im: torch.Tensor): return F.adaptive_avg_pool2d(im, 1)
def adaptive3(im: torch.Tensor): return F.adaptive_avg_pool2d(im, (3, 3))
def unfold(im: torch.Tensor): return F.unfold(im, 2)
def pixel_shuffle(im: torch.Tensor): return F.pixel_shuffle(im, 2)
def cosine_similarity(x: torch.Tensor): return F.cosine_similarity(x, x.flip(-1), dim=-1)
def embedding(m: torch.Tensor): return F.embedding(torch.tensor([[1, 0, 1]]), m)
def one_hot_mul(m: torch.Tensor): return F.one_hot(torch.tensor([0, 3]), 4).to(m.dtype) @ m
def dropout0(x: torch.Tensor): return F.dropout(x, 0.5, training=False)
def lerp(x: torch.Tensor): return torch.lerp(x, -x, 0.3)
def addcmul(x: torch.Tensor): return torch.addcmul(x, x, x, value=0.5)
def zeros_like(x: torch.Tensor): return torch.zeros_like(x) + x
def ones_like(x: torch.Tensor): return torch.ones_like(x) * x
def full_like(x: torch.Tensor): return torch.full_like(x, 0.3) * x
def inplace_set(x: torch.Tensor):
    y = x.clone()
    y[:, 0] = 0.5
    return y
def inplace_add(x: torch.Tensor):
    y = x * 1
    y += x
    y.mul_(0.5)
    return y
def scatter_add(x: torch.Tensor): return torch.zeros(2, 4, 6, dtype=x.dtype).scatter_add(1, torch.zeros(2, 4, 6, dtype=torch.long), x)
def floor(x: torch.Tensor): return torch.floor(x)
def meshgrid(m: torch.Tensor): return torch.meshgrid(m[0], m[1], indexing="ij")[0]
def float_mixed(x: torch.Tensor): return x + torch.ones(6)
def mse(m: torch.Tensor): return F.mse_loss(m, m * 0.5)
def mse_f(m: torch.Tensor): return F.mse_loss(m, torch.ones(4, 6))
def l1(m: torch.Tensor): return F.l1_loss(m, m.detach() * 0.5)
def smooth_l1(m: torch.Tensor): return F.smooth_l1_loss(m, m.detach() * 0.5)
def huber(m: torch.Tensor): return F.huber_loss(m, m.detach() * 0.5)
def ce(m: torch.Tensor): return F.cross_entropy(m, torch.tensor([0, 1, 2, 5]))
def ce_smooth(m: torch.Tensor): return F.cross_entropy(m, torch.tensor([0, 1, 2, 5]), label_smoothing=0.1)
def ce_ignore(m: torch.Tensor): return F.cross_entropy(m, torch.tensor([0, 1, -100, 5]), ignore_index=-100)
def nll(m: torch.Tensor): return F.nll_loss(F.log_softmax(m, -1), torch.tensor([0, 1, 2, 5]))
def bce(m: torch.Tensor): return F.binary_cross_entropy(torch.sigmoid(m), (m > 0).to(m.dtype))
def bcel(m: torch.Tensor): return F.binary_cross_entropy_with_logits(m, (m > 0).to(m.dtype))
def bcel_f(m: torch.Tensor): return F.binary_cross_entropy_with_logits(m, (m > 0).float())
def kl(m: torch.Tensor): return F.kl_div(F.log_softmax(m, -1), F.softmax(m.flip(-1), -1), reduction="batchmean")
def cosemb(m: torch.Tensor): return F.cosine_embedding_loss(m, m.flip(-1), torch.ones(4))
def triplet(m: torch.Tensor): return F.triplet_margin_loss(m, m.flip(-1), m.flip(0))
def hinge(m: torch.Tensor): return F.hinge_embedding_loss(m, torch.ones(4, 6, dtype=m.dtype))
def margin_rank(m: torch.Tensor): return F.margin_ranking_loss(m, m.flip(-1), torch.ones(4, 6, dtype=m.dtype))
def pairwise(m: torch.Tensor): return F.pairwise_distance(m, m.flip(-1))
def einsum_outer(m: torch.Tensor): return torch.einsum("i,j->ij", m[0], m[1])
def einsum_had(m: torch.Tensor): return torch.einsum("ij,ij->ij", m, m)
def einsum_one(m: torch.Tensor): return torch.einsum("ij->i", m)
def einsum_implicit(m: torch.Tensor): return torch.einsum("ij,kj", m, m)
def kron(m: torch.Tensor): return torch.kron(m, m)
def inner(m: torch.Tensor): return torch.inner(m, m)
def tensordot(m: torch.Tensor): return torch.tensordot(m, m.t(), 1)
def dot(m: torch.Tensor): return torch.dot(m[0], m[1])
def addbmm(x: torch.Tensor): return torch.addbmm(x[0, :, :4], x, x.transpose(1, 2))
def addmv(m: torch.Tensor): return torch.addmv(m[:, 0], m, m[0])
def multi_dot(m: torch.Tensor): return torch.linalg.multi_dot([m, m.t(), m])
def conv3d(v: torch.Tensor): return F.conv3d(v, v[:, :, :2, :2, :2])
def conv_t2d(im: torch.Tensor): return F.conv_transpose2d(im, im[:1].permute(1, 0, 2, 3)[:, :, :2, :2])
def bilinear(m: torch.Tensor): return F.bilinear(m, m, torch.ones(3, 6, 6, dtype=m.dtype))
def prelu(x: torch.Tensor): return F.prelu(x, torch.tensor([0.1], dtype=x.dtype))
def hstack(m: torch.Tensor): return torch.hstack([m, m])
def cat_mixed(m: torch.Tensor): return torch.cat([m, torch.ones(1, 6)])
def stack_mixed(m: torch.Tensor): return torch.stack([m, torch.ones(4, 6)])
def trace(m: torch.Tensor): return torch.trace(m)
def pad_rep(im: torch.Tensor): return F.pad(im, (1, 1, 1, 1), mode="replicate")
def pad_circ(im: torch.Tensor): return F.pad(im, (1, 1, 1, 1), mode="circular")
def affine_grid(m: torch.Tensor): return F.affine_grid(m[:2].view(2, 2, 3), [2, 1, 3, 3], align_corners=False)
def poisson(m: torch.Tensor): return F.poisson_nll_loss(m, m.abs())
def gauss(m: torch.Tensor): return F.gaussian_nll_loss(m, m.flip(0), m.abs() + 1)
def soft_margin(m: torch.Tensor): return F.soft_margin_loss(m, torch.ones(4, 6, dtype=m.dtype))
def mlsm(m: torch.Tensor): return F.multilabel_soft_margin_loss(m, torch.ones(4, 6, dtype=m.dtype))
def avg_pool1d(x: torch.Tensor): return F.avg_pool1d(x, 2)
def celu(x: torch.Tensor): return F.celu(x)
def softsign(x: torch.Tensor): return F.softsign(x)
def tanhshrink(x: torch.Tensor): return F.tanhshrink(x)
def hardsigmoid(x: torch.Tensor): return F.hardsigmoid(x)
def atan2(x: torch.Tensor): return torch.atan2(x, x.abs() + 1)
def remainder(x: torch.Tensor): return torch.remainder(x, 0.7)
def fmod(x: torch.Tensor): return torch.fmod(x, 0.7)
def nansum(x: torch.Tensor): return torch.nansum(x, -1)
def cummax(x: torch.Tensor): return torch.cummax(x, -1)[0]
def median(x: torch.Tensor): return x.median(-1)[0]
def to_f32(x: torch.Tensor): return x.float() * 2
def to_self(x: torch.Tensor): return x.to(x.dtype) + 1
def clone_d(x: torch.Tensor): return x.clone().detach() + x
def take_along(x: torch.Tensor): return torch.take_along_dim(x, torch.zeros(2, 1, 6, dtype=torch.long), 1)
def diag(m: torch.Tensor): return torch.diag(m)
def nan_to_num(x: torch.Tensor): return torch.nan_to_num(x)
def unfold_m(x: torch.Tensor): return x.unfold(-1, 2, 2)
def movedim(x: torch.Tensor): return x.movedim(0, -1)
def index_add(m: torch.Tensor): return m.index_add(0, torch.tensor([0, 1]), m[:2])
def select(x: torch.Tensor): return x.select(1, 0)
def narrow(x: torch.Tensor): return x.narrow(1, 0, 2)
def unbind(x: torch.Tensor): return x.unbind(1)[0]
def squeeze(x: torch.Tensor): return x[:, :1].squeeze(1)
def expand_as(x: torch.Tensor): return x[:, :1].expand_as(x)
def masked_select(x: torch.Tensor): return x.masked_select(x > 0)
def broadcast_add(x: torch.Tensor): return x + x[:, :1]
def std_mean(x: torch.Tensor): return torch.std_mean(x, -1)[0]
def pairwise_squares(m: torch.Tensor): return (m[:, None] - m[None]).pow(2).sum(-1)
def zero_dim(x: torch.Tensor): return x * torch.tensor(2.0)
def type_as(x: torch.Tensor): return torch.ones(6).type_as(x) + x
def grid_sample(im: torch.Tensor): return F.grid_sample(im, torch.zeros(2, 3, 3, 2, dtype=im.dtype), align_corners=False)
