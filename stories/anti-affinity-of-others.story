# Anti-affinity holds in both directions: the new pod has no rule of its own, and still may
# not go where a pod runs that must not be with it.

node n1 n2 cpu=8 label=zone:a
node n3    cpu=8 label=zone:b
submit web/quiet 1 x cpu=1 on=n1 apart=zone@app=loud
submit web/loud  label=app:loud 1 x cpu=1
submit ml/loud   label=app:loud 1 x cpu=1 selector=zone:a
cycle
----
bind ml/loud-0 n2
bind web/loud-0 n3

submit web/trapped label=app:loud 1 x cpu=1 selector=zone:a
cycle
----
wait web/trapped: NodesRefuse: PodRepelled app=loud by zone=a on 2 nodes; NodeSelector on n3

why web/trapped
----
NodesRefuse: PodRepelled app=loud by zone=a on 2 nodes; NodeSelector on n3
  PodRepelled app=loud by zone=a on 2 nodes
  NodeSelector on n3
