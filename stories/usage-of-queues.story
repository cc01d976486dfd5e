# With usage.weight a queue's share is of what it holds and of what it used lately. Here much and little
# hold nothing when the node is free again; much had it for a day, and its job came first.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates capacity(usage.weight=0.5) nodeorder
node n1 cpu=4
queue much deserved=cpu:2
queue little deserved=cpu:2

submit ml/long queue=much 1 x cpu=4 for=24h
submit ml/again queue=much at=1h 1 x cpu=4 for=1h
submit ml/new queue=little at=2h 1 x cpu=4 for=1h
run
----
0s    bind ml/long-0 n1
24h0m1s bind ml/new-0 n1
25h0m2s bind ml/again-0 n1
