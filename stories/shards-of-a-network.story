# A gang that has to be in one domain of the network: where the network is one domain, it goes to nodes
# of another shard when its own have no room.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node own cpu=1
node other cpu=4 elsewhere

submit ml/train topology=soft 3 x cpu=1
cycle
----
bind ml/train-0 own
bind ml/train-1..2 other
