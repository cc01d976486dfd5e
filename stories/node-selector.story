# A node selector is kept to the letter: no node with the label, no place.

node east cpu=4 label=zone:east
node west cpu=4 label=zone:west
queue ml

submit ml/near queue=ml 2 x cpu=1 selector=zone:west
submit ml/far  queue=ml 1 x cpu=1 selector=zone:north
cycle
----
bind ml/near-0..1 west
wait ml/far: never NoNodeMatches ml/far-0; NodeSelector: on 2 nodes

node north cpu=4 label=zone:north
cycle
----
bind ml/far-0 north
