from torch2ms.runtime import mint, nn


def test_train_and_eval_are_set_train():
    net = nn.SequentialCell(mint.nn.Linear(2, 2), mint.nn.Dropout(0.5))
    assert net.eval() is net
    assert not net.training and not net[1].training
    assert net.train() is net
    assert net.training and net[1].training
