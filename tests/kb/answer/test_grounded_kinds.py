"""Kinds of question that once went wrong over real documents, each over small documents of its own."""

import pytest

SCREEN = """# 板卡状态工具

## 查询利用率

用下面的命令查询 7 号卡，输出示例如下：

```
boardstat info -t common -i 7
    Board ID                       : 7
    Chip Count                     : 1

    Chip ID                        : 0
    Memory Usage Rate(%)           : 0
    Stack Usage Rate(%)            : 82
    Aicore Usage Rate(%)           : 70
    Aicore Freq(MHZ)               : 1800
    Aicore curFreq(MHZ)            : 1800
    Aicore Count                   : 20
    Temperature(C)                 : 66
    Real-time Power(W)             : 331.1
```

## 查询统计信息

```
boardstat info -t usages -i 1
```

```
    Stack Capacity(MB)             : 32768
    Stack Usage Rate(%)            : 0
    Aicore Usage Rate(%)           : 0
```
"""
HISTORY = """Suite Version,6.3.3,6.3.2,6.3.1,6.3.0,6.2.4
Systems,Pelican 24.04,Pelican 24.04,Pelican 24.04,Pelican 24.04,Pelican 24.04
,Heron Linux 3.0,Heron Linux 3.0,,,
,,,,Bittern 7.9,Bittern 7.9
"""
SYSTEMS = """# Kernels of the suite

| System | Version | Kernel |
|---|---|---|
| Heron Linux | 3.0 | 6.6 |
| Pelican | 24.04 | 6.8 |
"""
MANAGER = """# 卡池管理器

## 前置条件

使用前需准备：

- 显卡驱动 >= 440
- Kubernetes >= 1.23
- glibc >= 2.17

管理器的告警经 Zulip 发给值班人员。
"""
BACKEND = """# 自定义后端

## 系统要求

| 项目 | 版本 |
|---|---|
| 工具链 | 8.0.1 |
| 驱动版本 | 23.0.3 |
"""
FLAGS = """# Queue sample

## Command Line Flags

| Flag | Description | Default value |
|---|---|---|
| nstreams | Number of streams to use | 32 |
| noprompt | Disable the pause before terminating | |

Example: $ queuesample --nstreams=8
"""
BOOK = """# GPU 编程十讲

作者：林远山

## 硬件简介

| 显卡 | 显存 | 显存带宽 |
|---|---|---|
| Tesla V100 | 32 GB | 900 GB/s |
| GeForce RTX 2070 | 8 GB | 448 GB/s |
"""
CLUSTER = """# 集群节点

| 节点 | 显卡 | 显存带宽 |
|---|---|---|
| gpu1 | RTX 4090 | 1008 GB/s |
| gpu2 | L40 | 864 GB/s |
"""
SIZES = "".join(f"{5000 - 137 * n},{3000 - 71 * n},{n},{n * 3.25}\n" for n in range(1, 32))
SPEEDUP = """# When to upgrade

## Speedup grows with sequence length

Training step of the model Larch-8B, B200 over H200.

| sequence length | H200 TFLOPS | B200 TFLOPS | speedup |
|---:|---:|---:|---:|
| 8K | 141 | 167 | 1.19x |
| 32K | 324 | 524 | 1.62x |
| 256K | 419 | 852 | 2.03x |
"""
MANUAL = """# Teal_Torch developer manual

## Version

| Item | Value |
|---|---|
| Version | 1.3.0 |

## Requirements

- TealToolkits rc3.1.0 is recommended for Teal_Torch.
"""
CARDS = """Name,Core,Core frequency (MHz),Memory size
GeForce FX 5200 Ultra,NV34,325,128
GeForce FX 5600,NV31,325,256
"""
THROTTLE = """# Cooling

Accelerators that are not kept cool throttle. To check if your accelerator gets throttled down because it overheats, run
`boardstat -q -d PERFORMANCE`: an entry `Thermal Slowdown` that is `Active` says so.
"""
SEPARABLE = """# Image filters

A block of 16x16 pixels with a kernel of radius 16 needs an apron on all sides. At 4 bytes per pixel such a block uses
9216 bytes of shared memory.
"""
LATENCIES = """# 存储层次

## Latencies per unit

| Level | latency of Vega V100 | latency of Lake CPU |
|---|---|---|
| Register file | 256 kB | 10.5 kB |
| L1 cache | 28 cycles | 4 cycles |
| Global memory | 220-350 cycles | 190-220 cycles |

下一个表格显示，Lake CPU 的缓存延迟更低，而 Vega V100 在全局内存上有带宽优势。
"""
IDS = """# Device numbers

| device id | product |
|---|---|
| `0x13c0` | GM204 [GeForce GTX 980] |
| `0x13c2` | GM204 [GeForce GTX 970] |
| `0x0321` | NV34 [GeForce FX 5200 Ultra] |
"""
FILES = {
    "boardstat.md": SCREEN,
    "history.csv": HISTORY,
    "kernels.md": SYSTEMS,
    "Vpool+manager/README_cn.md": MANAGER,
    "CustomBackend/README_cn.md": BACKEND,
    "queue-sample.md": FLAGS,
    "book.md": BOOK,
    "nodes.md": CLUSTER,
    "sizes.csv": SIZES,
    "upgrade.md": SPEEDUP,
    "teal-manual.md": MANUAL,
    "cards.csv": CARDS,
    "cooling.md": THROTTLE,
    "filters.md": SEPARABLE,
    "levels.md": LATENCIES,
    "ids.md": IDS,
}


@pytest.fixture(scope="module")
def generation(build_files, small_corpus):
    return build_files(FILES)


ANSWERED = {
    "用 boardstat 查询 7 号卡的输出示例里，Aicore 利用率和实时功耗是多少？": ("70", "331.1"),
    "Heron Linux 3.0 从 Suite 哪个版本开始支持？": ("6.3.2", "Heron Linux 3.0"),
    "Which Suite releases still supported Bittern 7.9?": ("6.3.0", "6.2.4"),
    "Vpool 要求的最低显卡驱动版本和 CustomBackend 要求的驱动版本分别是多少？": ("440", "23.0.3"),
    "queuesample 的参数 nstreams 默认是多少": ("32",),
    "林远山的书里给出的 Tesla V100 显存带宽是多少？": ("900",),
    "In sizes.csv, what are the values in the row for 16?": ("2808", "1864", "52"),
    "sizes.csv 里序号 8 那一行的前两列是多少？": ("3904", "2432"),
    "What speedup did B200 show over H200 for Larch-8B at a sequence length of 32K?": ("1.62x",),
    "怎么判断加速卡有没有因为过热降频？用哪个命令": ("boardstat -q -d PERFORMANCE",),
    "16x16 block with a radius-16 kernel: how much shared memory does the block use?": ("9216",),
    "Vega V100 的寄存器文件多大？L1 延迟多少周期，全局内存延迟呢": ("256 kB", "28 cycles", "220-350 cycles"),
    "GTX 980 的设备号是多少": ("0x13c0",),
    "看设备 1 的统计信息（Stack 使用率那些）敲什么命令": ("boardstat info -t usages -i 1",),
}


@pytest.mark.parametrize(("question", "words"), ANSWERED.items(), ids=list(ANSWERED))
def test_the_answer_holds_what_was_asked(ask, question, words):
    text = ask(question)
    assert [word for word in words if word not in text] == []
    assert len(text) < 700


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("用 boardstat 查询 7 号卡的输出示例里，Aicore 利用率和实时功耗是多少？", "Chip Count"),
        ("Heron Linux 3.0 从 Suite 哪个版本开始支持？", "6.6"),
        ("What speedup did B200 show over H200 for Larch-8B at a sequence length of 32K?", "1.19"),
    ],
)
def test_what_was_not_asked_is_left_out(ask, question, wrong):
    text = ask(question)
    assert text
    assert wrong not in text


@pytest.mark.parametrize(
    "question",
    [
        "林远山的书里给出的 RTX 4090 显存带宽是多少？",
        "Teal_Torch 1.4.0 推荐搭配哪个版本的 TealToolkits？",
        "What speedup did B200 show over H200 for Larch-8B at a sequence length of 512K?",
        "How many tensor cores does the GeForce FX 5200 Ultra have?",
        "In sizes.csv, what are the values in the row for 99?",
        "Heron Linux 3.0 自带的 Zulip 版本是多少？",
    ],
)
def test_the_right_subject_without_what_is_asked_is_refused(find, question):
    finding = find(question)
    assert finding.draft is None
    assert finding.trace["refused"]


@pytest.mark.parametrize("question", ANSWERED, ids=list(ANSWERED))
def test_every_quote_stands_in_its_document(quotes, question):
    found = quotes(question)
    assert found
    assert all(quote.strip() for quote in found)  # a line of code keeps its indent
