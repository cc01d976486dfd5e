# Devices are shared whole: half of one is of use to no pod.
#
# Seven GPUs, two queues of equal weight, both want them all. Three and a half each
# would leave one idle for ever while both ask for it. One queue gets four, the first
# by name, and all seven are used.

node n1 gpu=7
queue blue
queue red

submit ml/b queue=blue min=1 7 x gpu=1
submit ml/r queue=red min=1 7 x gpu=1
run
----
0s    bind ml/b-0..3 n1
0s    bind ml/r-0..2 n1
wait ml/b: QueueOverused blue: gpu 4 deserved, 4 held
wait ml/r: QueueOverused red: gpu 3 deserved, 3 held

queues deserved allocated
----
queue  deserved  allocated
blue   gpu=4     gpu=4
red    gpu=3     gpu=3
