# A node that is lent from one to two o'clock takes pods at that hour that may be revoked,
# and no others at any hour (stories begin at midnight UTC).

conf
  tier priority gang tdm(tdm.revocable-zone.rz=01:00-02:00)
  tier predicates proportion nodeorder
node lent cpu=4 label=volcano.sh/revocable-zone:rz

submit ml/batch 1 x cpu=1 revocable for=10m
submit ml/serve 1 x cpu=1
cycle
----
wait ml/batch: NodeRevocable: rz is closed at this hour on lent
wait ml/serve: NodeRevocable: rz is closed at this hour on lent

run until=1h
----
1h    bind ml/batch-0 lent
wait ml/serve: NodeRevocable: rz takes only pods that may be revoked on lent

run until=2h
----
wait ml/serve: NodeRevocable: rz is closed at this hour on lent

run until=25h
----
wait ml/serve: NodeRevocable: rz takes only pods that may be revoked on lent
