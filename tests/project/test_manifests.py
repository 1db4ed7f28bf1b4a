"""Dependency files and launch lines."""

from __future__ import annotations

import pytest
import tomlkit
import yaml
from packaging.requirements import Requirement

from torch2ms.project.manifests import changer
from torch2ms.project.requirements import Wanted, change_install_line

PLAIN = Wanted()
MS = "mindspore>=2.10,<2.11"


def change(name: str, text: str, wanted: Wanted = PLAIN) -> str:
    function = changer(name)
    assert function is not None
    once = function(text, wanted)
    assert function(once, wanted) == once, "a second run changes something"
    return once


def test_requirements():
    text = (
        "# torch is named here\n--extra-index-url https://download.pytorch.org/whl/cu118\n--index-url https://example.org/simple\n"
        "numpy>=1.2 # arrays\nTorch==2.1.0+cu118   # the framework\r\ntorchvision>=0.15\npytorch-lightning\n"
        "torch-geometric\n-r more.txt\ntqdm"
    )
    assert change("requirements-dev.txt", text) == (
        f"# torch is named here\n--index-url https://example.org/simple\nnumpy>=1.2 # arrays\n{MS}   # the framework\r\n"
        "torch2ms\r\npytorch-lightning\ntorch-geometric\n-r more.txt\ntqdm"
    )


def test_requirements_with_hashes_markers_and_no_last_newline():
    text = "torch==2.1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\ntqdm\ntorch>=2; sys_platform == 'linux'"
    new = change("requirements.txt", text)
    assert "--hash" not in new
    for line in new.splitlines():
        Requirement(line)
    assert f'{MS}; sys_platform == "linux"' in new


def test_requirements_that_keep_torch():
    new = change("requirements.txt", "torch\ntorchvision\n", Wanted(keep_torch=True))
    assert new.splitlines() == ["torch", MS, "torch2ms", "torchvision"]


def test_vendored_runtime_needs_no_package():
    assert change("requirements.txt", "torch\n", Wanted(runtime="")) == f"{MS}\n"


def test_files_that_are_none():
    assert changer("notes.txt") is None and changer("requirements/readme.md") is None
    assert changer("requirements/base.txt") is not None


def test_pyproject_keeps_its_layout():
    text = (
        '[project]\nname = "x"  # torch\ndependencies = [\n  "numpy",\n  "torch>=2",  # fw\n  "torchvision",\n]\n\n'
        '[project.optional-dependencies]\ndev = ["torch", "pytest"]\n\n[tool.poetry.dependencies]\ntorch = "^2.1"\npython = "^3.10"\n'
    )
    new = change("pyproject.toml", text)
    assert 'name = "x"  # torch\n' in new and "# fw" in new
    document = tomlkit.parse(new).unwrap()
    assert document["project"]["dependencies"] == ["numpy", MS, "torch2ms"]
    assert document["project"]["optional-dependencies"]["dev"] == [MS, "torch2ms", "pytest"]
    assert set(document["tool"]["poetry"]["dependencies"]) == {"python", "mindspore", "torch2ms"}
    assert change("pyproject.toml", "not [ toml") == "not [ toml"


def test_setup_cfg_and_setup_py():
    cfg = "[metadata]\nname = torch\n[options]\ninstall_requires =\n    numpy\n    torch>=1.0\n    torchvision\n[tool]\nx = torch\n"
    assert (
        change("setup.cfg", cfg)
        == f"[metadata]\nname = torch\n[options]\ninstall_requires =\n    numpy\n    {MS}\n    torch2ms\n[tool]\nx = torch\n"
    )
    py = "setup(name='torch', install_requires=['torch>=1', \"torchvision\", 'tqdm'], extras={'a': ('torch',)})\n"
    new = change("setup.py", py)
    assert (
        new
        == f"setup(name='torch', install_requires=['{MS}', 'torch2ms', 'tqdm'], extras={{'a': ('{MS}', 'torch2ms',)}})\n"
    )


@pytest.mark.parametrize("pip", [["tqdm"], ["torch==2.0", "tqdm"], None])
def test_environment(pip):
    lines = ["name: x", "channels:", "  - pytorch", "  - conda-forge", "dependencies:", "  - python=3.10", "  - pytorch::pytorch=2.1  # fw",
             "  - torchvision", "  - pytorch-cuda=11.8", "  - pip"]  # fmt: skip
    if pip is not None:
        lines += ["  - pip:", *(f"      - {name}" for name in pip)]
    new = change("environment.yml", "\n".join(lines) + "\n")
    document = yaml.safe_load(new)
    assert document["channels"] == ["conda-forge"]
    assert [d for d in document["dependencies"] if isinstance(d, str)] == ["python=3.10", "pip"]
    installed = next(d["pip"] for d in document["dependencies"] if isinstance(d, dict))
    assert sorted(installed) == sorted([MS, "torch2ms", *(["tqdm"] if pip else [])])


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("RUN pip install torch==2.1 torchvision && rm -r x", f"RUN pip install '{MS}' torch2ms && rm -r x"),
        ("python -m pip install --upgrade 'torch>=2' numpy", f"python -m pip install --upgrade '{MS}' torch2ms numpy"),
        ("pip3 install torch --index-url https://download.pytorch.org/whl/cpu", f"pip3 install '{MS}' torch2ms"),
        ("pip install -e .", "pip install -e ."),
        ("echo pip torch", "echo pip torch"),
        ("conda install torch", "conda install torch"),
    ],
)
def test_install_lines(line, new):
    assert change_install_line(line) == new
    assert change_install_line(new) == new


@pytest.mark.parametrize(
    ("line", "new"),
    [
        (
            "torchrun --nproc_per_node=8 train.py --lr 1",
            "msrun --worker_num=8 --local_worker_num=8 --join=True train.py --lr 1",
        ),
        (
            "python -m torch.distributed.launch --nproc_per_node 4 --nnodes=2 --node_rank=1 --master_addr=a --master_port=5 t.py",
            "msrun --worker_num=8 --local_worker_num=4 --node_rank=1 --master_addr=a --master_port=5 --join=True t.py",
        ),
        ("torchrun --nproc_per_node=gpu train.py", "torchrun --nproc_per_node=gpu train.py"),
        ("# torchrun --nproc_per_node=8 train.py", "# torchrun --nproc_per_node=8 train.py"),
    ],
)
def test_launchers(line, new):
    assert change("run.sh", line + "\n") == new + "\n"
