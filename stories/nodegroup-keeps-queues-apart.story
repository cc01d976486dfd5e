# A queue's jobs run on the groups of nodes that its affinity names, and on no others.
#
# ml names gold, so it waits for gold although silver is free; web names silver; misc
# names nothing, and in strict mode, which is the default, finds no node at all.

conf
  tier priority gang
  tier predicates proportion nodegroup nodeorder

node g1 cpu=4 label=volcano.sh/nodegroup-name:gold
node s1 cpu=8 label=volcano.sh/nodegroup-name:silver
node bare cpu=8
queue ml groups=gold
queue web groups=silver
queue misc

submit x/train queue=ml 6 x cpu=1 min=1
submit x/serve queue=web 2 x cpu=1
submit x/other queue=misc 1 x cpu=1
cycle
----
bind x/train-0 g1
bind x/serve-0..1 s1
bind x/train-1..3 g1
wait x/other: never NoNodeMatches x/other-0; NodeGroup: NodeGroup on bare; NodeGroup gold on g1; NodeGroup silver on s1
wait x/train: NotEnoughResources: cpu 1 asked, 0 free on g1

why x/other
----
NodeGroup: NodeGroup on bare; NodeGroup gold on g1; NodeGroup silver on s1
  NodeGroup on bare
  NodeGroup gold on g1
  NodeGroup silver on s1
