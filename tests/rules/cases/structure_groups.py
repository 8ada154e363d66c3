"""LeaderWorkerSets: what an API server refuses of them, and the names and labels of their pods."""

from tests.rules.case import On
from tests.rules.edits import document, put

VALUES, REACHES = "values-accepted", "service-reaches-pods"
_SET, _GROUP = "LeaderWorkerSet/group", "spec.leaderWorkerTemplate"
_LEADER = f"{_GROUP}.leaderTemplate.spec.containers[0]"
_OBJECTS = document("""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: group, namespace: gpt-oss}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    restartPolicy: RecreateGroupOnPodRestart
    leaderTemplate:
      metadata: {labels: {role: leader}}
      spec:
        containers:
          - name: leader
            image: example.com/server:1
            command: [sh, -c, "serve --group-size $(LWS_GROUP_SIZE)"]
            volumeMounts: [{name: scratch, mountPath: /scratch}]
        volumes: [{name: scratch, emptyDir: {}}]
    workerTemplate:
      spec:
        containers:
          - name: member
            image: example.com/server:1
            command: [join, "--leader=$(LWS_LEADER_ADDRESS)", "--index=$(LWS_WORKER_INDEX)"]
---
apiVersion: v1
kind: Service
metadata: {name: leaders, namespace: gpt-oss}
spec:
  selector:
    leaderworkerset.sigs.k8s.io/worker-index: "0"
    leaderworkerset.sigs.k8s.io/name: group
    role: leader
  ports: [{port: 8080}]
""")


CASES = (
    On(VALUES, "vllm-serve", "group").fails(
        "a size in quotes, a restart policy of pods, and a mount of a volume that the leader does not have",
        _OBJECTS,
        'size in body must be of type integer: "string"',
        put(_SET, f"{_GROUP}.size", "2"),
        'restartPolicy: Unsupported value: "Always": supported values: "Default",',
        put(_SET, f"{_GROUP}.restartPolicy", "Always"),
        f'{_LEADER}.volumeMounts[0].name: Not found: "shm"',
        put(_SET, f"{_LEADER}.volumeMounts[0].name", "shm"),
    ),
    On(REACHES, "vllm-serve", "leaders").fails(
        "a Service of leaders by a role that is spelt otherwise",
        "those of leader have role=leader",
        _OBJECTS,
        put("Service/leaders", "spec.selector.role", "leaders"),
    ),
)
