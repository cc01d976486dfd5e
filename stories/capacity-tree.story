# The tree of the capacity guide (seed 001 §7.1): teams below root, queues below teams, and what one
# queue holds all above it hold.
#
# Team a is full at its seventy. Training could have fifty and inference thirty; both
# get the same part of what they deserve, 46 of 40 and 24 of 20.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=100 memory=400Gi pods=200
queue root   deserved=cpu:100,memory:400Gi
queue team-a deserved=cpu:60,memory:240Gi capability=cpu:70,memory:300Gi guarantee=cpu:20,memory:80Gi
queue team-b deserved=cpu:40,memory:160Gi capability=cpu:50,memory:200Gi guarantee=cpu:20,memory:80Gi
queue training    parent=team-a deserved=cpu:40,memory:160Gi capability=cpu:50,memory:200Gi guarantee=cpu:10,memory:40Gi
queue inference   parent=team-a deserved=cpu:20,memory:80Gi  capability=cpu:30,memory:120Gi guarantee=cpu:10,memory:40Gi
queue batch       parent=team-b deserved=cpu:30,memory:120Gi capability=cpu:40,memory:160Gi guarantee=cpu:15,memory:60Gi
queue interactive parent=team-b deserved=cpu:10,memory:40Gi  capability=cpu:20,memory:80Gi  guarantee=cpu:5,memory:20Gi

submit lab/train queue=training  min=1 60 x cpu=1,memory=4Gi
submit lab/infer queue=inference min=1 30 x cpu=1,memory=4Gi
run
----
0s    bind lab/infer-0..23 n1
0s    bind lab/train-0..45 n1
wait lab/infer: QueueCapability team-a: cpu 71 with it, 70 may be
wait lab/train: QueueCapability team-a: cpu 71 with it, 70 may be

queues all allocated real share
----
queue        allocated            real                  share
batch        -                    cpu=40,memory=160Gi   0.00
default      -                    cpu=60,memory=240Gi   1.00
inference    cpu=24,memory=96Gi   cpu=30,memory=120Gi   1.20
interactive  -                    cpu=20,memory=80Gi    0.00
root         cpu=70,memory=280Gi  cpu=100,memory=400Gi  0.70
team-a       cpu=70,memory=280Gi  cpu=70,memory=300Gi   1.16
team-b       -                    cpu=50,memory=200Gi   0.00
training     cpu=46,memory=184Gi  cpu=50,memory=200Gi   1.15
