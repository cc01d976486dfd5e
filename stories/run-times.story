# How long a pod runs, and where that is from. limit is spec.activeDeadlineSeconds: its node ends the pod then. guess is
# the annotation ashlar.sh/duration. A guess that a pod outlives is extended by itself, but not beyond its limit.

node n1 cpu=8
queue ml

submit ml/guessed  queue=ml 1 x cpu=1 guess=10m for=25m
submit ml/limited  queue=ml 1 x cpu=1 limit=20m for=1h
submit ml/both     queue=ml 1 x cpu=1 guess=10m limit=15m for=12m
submit ml/silent   queue=ml 1 x cpu=1
submit ml/gang     queue=ml min=2 1 x cpu=1 limit=1h guess=30m 1 x cpu=1 limit=2h guess=10m
cycle
----
bind ml/both-0 n1
bind ml/gang-0..1 n1
bind ml/guessed-0 n1
bind ml/limited-0 n1
bind ml/silent-0 n1

jobs runtime
----
job         runtime
ml/both     10m declared, limit 15m
ml/gang     30m declared, limit 2h
ml/guessed  10m declared
ml/limited  20m enforced
ml/silent   unknown

run until=12m1s
----
nothing

pods status runtime
----
pod           status     runtime
ml/both-0     Succeeded  10m declared, limit 15m
ml/gang-0     Running    30m declared, limit 1h
ml/gang-1     Running    20m declared, limit 2h
ml/guessed-0  Running    20m declared
ml/limited-0  Running    20m enforced
ml/silent-0   Running    unknown

run until=20m1s
----
nothing

pods status runtime
----
pod           status     runtime
ml/both-0     Succeeded  10m declared, limit 15m
ml/gang-0     Running    30m declared, limit 1h
ml/gang-1     Running    30m declared, limit 2h
ml/guessed-0  Running    30m declared
ml/limited-0  Failed     20m enforced
ml/silent-0   Running    unknown
