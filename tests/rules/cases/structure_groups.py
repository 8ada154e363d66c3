"""LeaderWorkerSets: what an API server refuses of them, and the names and labels of their pods."""

from tests.rules.case import Case, On
from tests.rules.edits import Edit, document, put

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


def _case(rule: str, name: str, edit: Edit, subject: str, says: str) -> Case:
    return On(rule, "vllm-serve", subject).fails(name, says, _OBJECTS, edit)


CASES = (
    _case(
        VALUES,
        "the size of a group in quotes",
        put(_SET, f"{_GROUP}.size", "2"),
        "group",
        'size in body must be of type integer: "string"',
    ),
    _case(
        VALUES,
        "a restart policy of pods for a group",
        put(_SET, f"{_GROUP}.restartPolicy", "Always"),
        "group",
        'restartPolicy: Unsupported value: "Always": supported values: "Default",',
    ),
    _case(
        VALUES,
        "a leader that mounts a volume which its pods do not have",
        put(_SET, f"{_LEADER}.volumeMounts[0].name", "shm"),
        "group",
        f'{_LEADER}.volumeMounts[0].name: Not found: "shm"',
    ),
    _case(
        REACHES,
        "a Service of leaders by a role that is spelt otherwise",
        put("Service/leaders", "spec.selector.role", "leaders"),
        "leaders",
        "those of leader have role=leader",
    ),
)
