# What is booked and idle is its owner's usage for as long as the window lasts: whoever has nodes kept free yields
# afterwards to others, as if it had used them. Here away has both nodes booked for a day and runs nothing on them. When
# the jobs of third are over, works goes first, although the job of away came first.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates capacity(usage.weight=0.5,usage.halfLife=24h) nodeorder
node n1 n2 cpu=4
queue away deserved=cpu:4
queue works deserved=cpu:4
queue third
booking day owner=queue:away from=1h to=25h

submit ml/busy  queue=third 2 x cpu=4 at=25h for=3h
submit ml/away  queue=away  2 x cpu=4 min=2 at=26h for=1h
submit ml/works queue=works 2 x cpu=4 min=2 at=27h for=1h
run
----
25h   bind ml/busy-0..1 n1 n2
28h0m1s bind ml/works-0..1 n1 n2
29h0m2s bind ml/away-0..1 n1 n2
