# With maxSkew 1 no zone has more than one pod more than the zone with the fewest. When a
# zone is full, the others may be one ahead of it and no more.

node a1 a2 cpu=8 label=zone:a
node b1    cpu=8 label=zone:b
node c1    cpu=2 label=zone:c
node d1    cpu=8
submit web/front label=app:front spread=zone@app=front:1  6 x cpu=1
cycle
----
bind web/front-0 a2
bind web/front-1 b1
bind web/front-2 c1
bind web/front-3 a1
bind web/front-4 b1
bind web/front-5 c1

submit web/more label=app:front spread=zone@app=front:1  min=1  3 x cpu=1
cycle
----
bind web/more-0 a2
bind web/more-1 b1
wait web/more: NotEnoughResources: cpu 1 asked, 0 free on c1

why web/more
----
NotEnoughResources: cpu 1 asked, 0 free on c1
  PodTopologySpread app=front by zone=a (3 there) least 2, skew 1 on 2 nodes
  InsufficientResource cpu on c1
  PodTopologySpread app=front by zone=b (3 there) least 2, skew 1 on b1
  TopologyKeyMissing zone on d1

node c2 cpu=8 label=zone:c
cycle
----
bind web/more-2 c2
