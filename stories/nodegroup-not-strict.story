# With strict=false nodes in no group belong to the queues that name none: misc has the
# bare node to itself, while ml keeps to gold.

conf
  tier priority gang
  tier predicates proportion nodegroup(strict=false) nodeorder

node g1 cpu=4 label=volcano.sh/nodegroup-name:gold
node bare cpu=4
queue ml groups=gold
queue misc

submit x/train queue=ml 5 x cpu=1 min=1
submit x/other queue=misc 1 x cpu=1
cycle
----
bind x/other-0 bare
bind x/train-0..3 g1
wait x/train: NotEnoughResources: cpu 1 asked, 0 free on g1
