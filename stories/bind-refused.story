# A gang whose bindings the API server refuses waits for its next try, and no other job
# waits behind it.
#
# A webhook has refused train's third pod four times in a row. train pauses as a whole
# until it is tried again, and keeps neither nodes nor its queue's room from serve, which
# came later. Of serve, which then runs, only the pod that is refused pauses.

node n1 cpu=8
queue ml capability=cpu:8

submit ml/train queue=ml min=3 minresources=cpu:6 3 x cpu=2 gated
cycle
----
wait ml/train: SchedulingGated 3

ungate ml/train
backoff ml/train pod=train-2 tries=4 until=10s says=denied
submit ml/serve queue=ml min=1 minresources=cpu:4 2 x cpu=2 for=5s
cycle
----
bind ml/serve-0..1 n1
wait ml/train: BindRefused 4 times until 10s: ml/train-2: denied

grow ml/serve 2 x cpu=2 gated for=2s
cycle
----
wait ml/serve: SchedulingGated 2
wait ml/train: BindRefused 4 times until 10s: ml/train-2: denied

ungate ml/serve-2
ungate ml/serve-3
backoff ml/serve pod=serve-2 tries=1 until=6s says=denied only
cycle
----
bind ml/serve-3 n1
wait ml/serve: BindRefused 1 times until 6s: ml/serve-2: denied
wait ml/train: BindRefused 4 times until 10s: ml/train-2: denied

run
----
6s    bind ml/serve-2 n1
10s   bind ml/train-0..2 n1
