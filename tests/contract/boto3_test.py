#!/usr/bin/env python3
"""boto3 as Debian ships it: paginators, waiters, error classes and retries of the operations that are served."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError

import answers
from faulty_way import FaultyWay

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BERTH = os.environ.get("PROGRAM_UNDER_TEST", os.path.join(ROOT, "build", "berth"))
KEY, SECRET = "AKIABOTO3TESTBOTO3TE", "boto3/test/secret"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "ECS_", "BERTH_"))}


class Boto3Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.mkdtemp(prefix="berth-boto3-")
        cls.log = open(os.path.join(cls.data, "server.log"), "w+")
        cls.server = subprocess.Popen([BERTH, "server", "--data", os.path.join(cls.data, "store"), "--listen", "127.0.0.1:0"], stderr=cls.log,
                                      env={**ENVIRONMENT, "BERTH_ROOT_ACCESS_KEY_ID": KEY, "BERTH_ROOT_SECRET_ACCESS_KEY": SECRET})
        cls.url = cls.until(lambda: re.search(r"ready at (http://[\d.:]+)\s", open(cls.log.name).read())).group(1)
        cls.ecs = boto3.client("ecs", region_name="us-east-1", endpoint_url=cls.url, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
                               config=Config(retries={"max_attempts": 0}))
        answers.keep_replies(cls.ecs)
        cls.ecs.create_cluster()
        cls.agent = subprocess.Popen([BERTH, "agent", "--join", cls.url, "--data", os.path.join(cls.data, "agent"), "--fake", "p3.16xlarge:2,c5.large"],
                                     stderr=subprocess.DEVNULL, env={**ENVIRONMENT, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET})
        cls.until(lambda: cls.connected() == 3)
        cls.ecs.register_task_definition(family="boto3", containerDefinitions=[{"name": "main", "image": "busybox", "cpu": 1, "memory": 8}])

    @classmethod
    def tearDownClass(cls):
        answers.keep_counts(cls.url, KEY, SECRET)
        for process in (cls.agent, cls.server):
            process.terminate()
            process.wait(timeout=120)
        cls.log.close()
        shutil.rmtree(cls.data)

    @staticmethod
    def until(condition, seconds=120):
        end = time.time() + seconds
        while time.time() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("waited in vain")

    @classmethod
    def connected(cls):
        arns = cls.ecs.list_container_instances()["containerInstanceArns"]
        if not arns:
            return 0
        return sum(i["agentConnected"] for i in cls.ecs.describe_container_instances(containerInstances=arns)["containerInstances"])

    def pages(self, operation, key, size=7, **arguments):
        found = []
        for page in self.ecs.get_paginator(operation).paginate(PaginationConfig={"PageSize": size}, **arguments):
            self.assertLessEqual(len(page[key]), size)
            found.extend(page[key])
        self.assertEqual(len(found), len(set(map(str, found))), "each exactly once")
        return found

    def refused(self, code, call, **arguments):
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)
        self.assertIsInstance(caught.exception, getattr(self.ecs.exceptions, code))
        return caught.exception

    def test_paginators(self):
        for number in range(20):
            self.ecs.create_cluster(clusterName=f"paged-{number:02}")
            self.ecs.register_task_definition(family=f"paged-{number:02}", containerDefinitions=[{"name": "a", "image": "i", "memory": 8}])
        self.assertGreaterEqual(len(self.pages("list_clusters", "clusterArns")), 21)
        families = self.pages("list_task_definition_families", "families", familyPrefix="paged-")
        self.assertEqual(families, [f"paged-{number:02}" for number in range(20)])
        newest = self.pages("list_task_definitions", "taskDefinitionArns", sort="DESC")
        self.assertEqual(newest, list(reversed(self.pages("list_task_definitions", "taskDefinitionArns"))))
        arns = [task["taskArn"] for _ in range(3) for task in self.ecs.run_task(taskDefinition="boto3", count=10, startedBy="pager")["tasks"]]
        self.assertEqual(self.pages("list_tasks", "taskArns", startedBy="pager"), arns, "in order of creation")
        self.assertEqual(len(self.pages("list_container_instances", "containerInstanceArns")), 3)
        for arn in arns:
            self.ecs.stop_task(task=arn)

    def test_each_paginator_one_at_a_time(self):
        for name in ("one", "two", "three"):
            self.ecs.create_cluster(clusterName=name, serviceConnectDefaults={"namespace": "apps"})
            self.ecs.register_task_definition(family=name, containerDefinitions=[{"name": "a", "image": "i", "memory": 8}])
        for name in ("containerInsights", "awsvpcTrunking", "fargateFIPSMode"):
            self.ecs.put_account_setting(name=name, value="enabled")
        arns = [task["taskArn"] for task in self.ecs.run_task(taskDefinition="boto3", count=4, startedBy="single")["tasks"]]
        for name in ("one", "two", "three"):
            self.ecs.create_service(serviceName=name, taskDefinition="boto3", desiredCount=0)
        rows = [("list_clusters", "clusterArns", {}), ("list_services", "serviceArns", {}),
                ("list_container_instances", "containerInstanceArns", {"status": "ACTIVE"}),
                ("list_task_definitions", "taskDefinitionArns", {}), ("list_task_definition_families", "families", {}),
                ("list_tasks", "taskArns", {"startedBy": "single"}), ("list_account_settings", "settings", {}),
                ("list_attributes", "attributes", {"targetType": "container-instance", "attributeName": "ecs.os-type"}),
                ("list_services_by_namespace", "serviceArns", {"namespace": "apps"})]
        served = {name for name in self.ecs.meta.method_to_api_mapping if self.ecs.can_paginate(name)}
        self.assertEqual({row[0] for row in rows}, served, "every paginator of served operations")
        for operation, key, arguments in rows:
            with self.subTest(operation):
                whole = getattr(self.ecs, operation)(**arguments)[key]
                self.assertGreaterEqual(len(whole), 0 if operation == "list_services_by_namespace" else 3)      # no service joins a namespace
                self.assertEqual(self.pages(operation, key, size=1, **arguments), whole)
        for arn in arns:
            self.ecs.stop_task(task=arn)
        for name in ("one", "two", "three"):
            self.ecs.delete_service(service=name)
        for name in ("containerInsights", "awsvpcTrunking", "fargateFIPSMode"):
            self.ecs.delete_account_setting(name=name)

    def test_a_list_pages_while_tasks_come_and_go(self):
        kept = [task["taskArn"] for _ in range(3) for task in self.ecs.run_task(taskDefinition="boto3", count=10, startedBy="steady")["tasks"]]
        seen = []
        for page in self.ecs.get_paginator("list_tasks").paginate(startedBy="steady", PaginationConfig={"PageSize": 4}):
            seen.extend(page["taskArns"])
            more = self.ecs.run_task(taskDefinition="boto3", startedBy="other")["tasks"]
            self.ecs.stop_task(task=more[0]["taskArn"])
        self.assertEqual(seen, kept)
        for arn in kept:
            self.ecs.stop_task(task=arn)

    def test_waiters(self):
        arns = [task["taskArn"] for task in self.ecs.run_task(taskDefinition="boto3", count=2)["tasks"]]
        self.ecs.get_waiter("tasks_running").wait(tasks=arns, WaiterConfig={"Delay": 1, "MaxAttempts": 300})
        for arn in arns:
            self.ecs.stop_task(task=arn, reason="boto3")
        self.ecs.get_waiter("tasks_stopped").wait(tasks=arns, WaiterConfig={"Delay": 1, "MaxAttempts": 300})

    def test_waiters_of_services(self):
        self.ecs.create_service(serviceName="waited", taskDefinition="boto3", desiredCount=2, tags=[{"key": "berth:healthy-after", "value": "1"}])
        self.ecs.get_waiter("services_stable").wait(services=["waited"], WaiterConfig={"Delay": 1, "MaxAttempts": 300})
        self.assertEqual(len(self.pages("list_tasks", "taskArns", size=1, serviceName="waited")), 2)
        self.ecs.delete_service(service="waited", force=True)
        self.ecs.get_waiter("services_inactive").wait(services=["waited"], WaiterConfig={"Delay": 1, "MaxAttempts": 300})

    def waits_in_vain(self, waiter, reason, **arguments):
        with self.assertRaises(WaiterError) as caught:
            self.ecs.get_waiter(waiter).wait(WaiterConfig={"Delay": 1, "MaxAttempts": 2}, **arguments)
        self.assertIn(reason, str(caught.exception))

    def test_waiters_fail(self):
        running, stopped = (task["taskArn"] for task in self.ecs.run_task(taskDefinition="boto3", count=2)["tasks"])
        self.ecs.stop_task(task=stopped)
        self.ecs.get_waiter("tasks_stopped").wait(tasks=[stopped], WaiterConfig={"Delay": 1, "MaxAttempts": 300})
        self.ecs.get_waiter("tasks_running").wait(tasks=[running], WaiterConfig={"Delay": 1, "MaxAttempts": 300})
        self.waits_in_vain("tasks_running", "terminal failure state", tasks=[running, stopped])
        self.waits_in_vain("tasks_running", "terminal failure state", tasks=[running, "f" * 32])
        self.waits_in_vain("tasks_stopped", "Max attempts exceeded", tasks=[running, stopped])
        self.ecs.stop_task(task=running)
        for waiter in ("services_stable", "services_inactive"):
            self.waits_in_vain(waiter, '"MISSING" at least once', services=["web"])
        self.assertEqual(set(self.ecs.waiter_names), {"tasks_running", "tasks_stopped", "services_stable", "services_inactive"})

    @staticmethod
    def name_token(model, params, **_):
        """RunTask's clientToken, which Debian's boto3 is too old to know: here, what the tasks are started by."""
        if model.name == "RunTask":
            body = json.loads(params["body"])
            params["body"] = json.dumps({**body, "clientToken": body["startedBy"]}).encode()

    def test_trouble_on_the_way(self):
        troubles = ["refuse", "lose", (400, "ThrottlingException"), (500, "ServerException"), (503, "ServiceUnavailable")]
        way = FaultyWay(int(self.url.rsplit(":", 1)[1]))
        self.addCleanup(way.close)
        for mode in ("legacy", "standard"):
            far = boto3.client("ecs", region_name="us-east-1", endpoint_url=way.url, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
                               config=Config(retries={"total_max_attempts": 3, "mode": mode}))
            far.meta.events.register("before-call.ecs", self.name_token)
            for number, trouble in enumerate(troubles):
                with self.subTest(mode, trouble=trouble):
                    way.plan, name = [trouble], f"{mode}-{number}"
                    reply = far.run_task(taskDefinition="boto3", count=2, startedBy=name)
                    self.assertEqual(reply["ResponseMetadata"]["RetryAttempts"], 1)
                    arns = [task["taskArn"] for task in reply["tasks"]]
                    self.assertEqual(self.ecs.list_tasks(startedBy=name)["taskArns"], arns, "done once")
                    for arn in arns:
                        self.ecs.stop_task(task=arn)
            way.plan = [(500, "ServerException")] * 3
            with self.assertRaises(far.exceptions.ServerException):
                far.list_clusters()
            self.assertEqual(way.plan, [], "three times and no more")
            before = way.connections
            with self.assertRaises(far.exceptions.ClusterNotFoundException):
                far.list_tasks(cluster="nowhere")
            self.assertEqual(way.connections, before + 1, "what is wrong with the request is not tried again")

    def test_errors_are_typed(self):
        nobody, arn, tag = "f" * 32, "arn:aws:ecs:us-east-1:123456789012:", {"key": "a", "value": "b"}
        machine = self.ecs.list_container_instances()["containerInstanceArns"][0]
        self.ecs.put_attributes(attributes=[{"name": f"k{number}", "targetId": machine} for number in range(10)])
        self.ecs.register_task_definition(family="typed", containerDefinitions=[{"name": "main", "image": "busybox", "memory": 64}])
        self.ecs.create_cluster(clusterName="full", tags=[{"key": f"k{number}", "value": "v"} for number in range(50)])
        rows = [
            ("ClusterNotFoundException", "list_tasks", {"cluster": "nowhere"}),
            ("ClientException", "describe_task_definition", {"taskDefinition": "nowhere"}),
            ("InvalidParameterException", "stop_task", {"task": nobody}),
            ("ServiceNotFoundException", "list_tasks", {"serviceName": "web"}),
            ("ClusterContainsContainerInstancesException", "delete_cluster", {"cluster": "default"}),
            ("TargetNotFoundException", "put_attributes", {"attributes": [{"name": "a", "value": "b", "targetId": nobody}]}),
            ("AttributeLimitExceededException", "put_attributes", {"attributes": [{"name": "k10", "targetId": machine}]}),
            ("ResourceNotFoundException", "tag_resource", {"resourceArn": f"{arn}task/default/{nobody}", "tags": [tag]}),
            ("LimitExceededException", "tag_resource", {"resourceArn": f"{arn}cluster/full", "tags": [tag]}),
            ("NoUpdateAvailableException", "update_container_agent", {"containerInstance": machine}),
            ("ServiceNotFoundException", "update_service", {"service": "web"}),
            ("UnsupportedFeatureException", "run_task", {"taskDefinition": "typed", "launchType": "FARGATE"}),
        ]
        for code, operation, arguments in rows:
            with self.subTest(code):
                error = self.refused(code, getattr(self.ecs, operation), **arguments)
                self.assertEqual(error.response["ResponseMetadata"]["HTTPStatusCode"], 400)
                self.assertRegex(error.response["ResponseMetadata"]["RequestId"], r"^[0-9a-f-]{36}$")
                self.assertGreater(len(error.response["Error"]["Message"]), 0)

    def test_a_definition_comes_back_as_it_went(self):
        container = {"name": "main", "image": "busybox", "cpu": 16, "memory": 64, "essential": True, "command": ["a"], "entryPoint": ["b"], "links": [],
                     "environment": [{"name": "A", "value": "1"}], "mountPoints": [{"sourceVolume": "v", "containerPath": "/v", "readOnly": True}],
                     "volumesFrom": [], "portMappings": [{"containerPort": 80, "hostPort": 8080, "protocol": "tcp"}], "ulimits": [{"name": "nofile", "softLimit": 1, "hardLimit": 2}],
                     "dockerLabels": {"k": "v"}, "resourceRequirements": [{"type": "GPU", "value": "2"}], "stopTimeout": 5, "user": "1000:1000", "workingDirectory": "/w"}
        self.ecs.register_task_definition(family="round", containerDefinitions=[container], volumes=[{"name": "v", "host": {}}], tags=[{"key": "a", "value": "b"}])
        back = self.ecs.describe_task_definition(taskDefinition="round", include=["TAGS"])
        self.assertEqual({name: back["taskDefinition"]["containerDefinitions"][0].get(name) for name in container}, container)
        self.assertEqual(back["tags"], [{"key": "a", "value": "b"}])

    def test_identity(self):
        sts = boto3.client("sts", region_name="us-east-1", endpoint_url=self.url, aws_access_key_id=KEY, aws_secret_access_key=SECRET)
        self.assertEqual(sts.get_caller_identity()["Account"], "123456789012")

    def test_logs(self):
        """The events that Docker's driver sends are read back: paginators, order, errors as classes."""
        logs = boto3.client("logs", region_name="us-east-1", endpoint_url=self.url, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
                            config=Config(retries={"max_attempts": 0}))
        task = self.ecs.run_task(taskDefinition="boto3")["tasks"][0]["taskArn"]
        stream = {"logGroupName": "/berth/boto3", "logStreamName": "main/" + task.split("/")[-1]}
        self.until(lambda: stream["logGroupName"] in [one["logGroupName"] for one in logs.describe_log_groups()["logGroups"]])
        self.until(lambda: logs.describe_log_streams(logGroupName=stream["logGroupName"], logStreamNamePrefix=stream["logStreamName"])["logStreams"])
        now = int(time.time() * 1000)
        logs.put_log_events(**stream, logEvents=[{"timestamp": now + n, "message": f"step {n}"} for n in range(25)])
        want = [(now + n, f"step {n}") for n in range(25)]
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=stream["logGroupName"], logStreamNames=[stream["logStreamName"]],
                                                                    filterPattern="step", PaginationConfig={"PageSize": 10})
        self.assertEqual([(one["timestamp"], one["message"]) for page in pages for one in page["events"]], want)
        pages = logs.get_paginator("describe_log_streams").paginate(logGroupName=stream["logGroupName"], logStreamNamePrefix=stream["logStreamName"])
        self.assertEqual([(one["logStreamName"], one["lastEventTimestamp"]) for page in pages for one in page["logStreams"]],
                         [(stream["logStreamName"], now + 24)])
        groups = [one["logGroupName"] for page in logs.get_paginator("describe_log_groups").paginate() for one in page["logGroups"]]
        self.assertIn(stream["logGroupName"], groups)
        end = logs.get_log_events(**stream, limit=5)
        self.assertEqual([one["message"] for one in end["events"]], [f"step {n}" for n in range(20, 25)])
        again = logs.get_log_events(**stream, nextToken=end["nextForwardToken"])
        self.assertEqual((again["events"], again["nextForwardToken"]), ([], end["nextForwardToken"]))
        with self.assertRaises(logs.exceptions.ResourceAlreadyExistsException):
            logs.create_log_stream(**stream)
        with self.assertRaises(logs.exceptions.ResourceNotFoundException):
            logs.get_log_events(logGroupName="none", logStreamName="none")
        with self.assertRaises(logs.exceptions.InvalidParameterException):
            logs.filter_log_events(logGroupName=stream["logGroupName"], filterPattern="a=b")
        self.ecs.stop_task(task=task)


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Boto3Test))
    bad = len({getattr(case, "test_case", case).id() for case, _ in outcome.failures + outcome.errors})     # a test, however many of its parts
    print(f"{outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(bad != 0)
