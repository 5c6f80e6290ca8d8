#!/usr/bin/env python3
"""boto3 as Debian ships it: paginators, waiters, error classes and retries of the operations that are served."""
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
from botocore.exceptions import ClientError

import answers

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
        cls.url = cls.until(lambda: re.search(r"ready at (http://[\d.:]+)", open(cls.log.name).read())).group(1)
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
        answers.keep_counts(cls.url)
        for process in (cls.agent, cls.server):
            process.terminate()
            process.wait(timeout=30)
        cls.log.close()
        shutil.rmtree(cls.data)

    @staticmethod
    def until(condition, seconds=30):
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

    def pages(self, operation, key, **arguments):
        found = []
        for page in self.ecs.get_paginator(operation).paginate(PaginationConfig={"PageSize": 7}, **arguments):
            self.assertLessEqual(len(page[key]), 7)
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
        self.ecs.get_waiter("tasks_running").wait(tasks=arns, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
        for arn in arns:
            self.ecs.stop_task(task=arn, reason="boto3")
        self.ecs.get_waiter("tasks_stopped").wait(tasks=arns, WaiterConfig={"Delay": 1, "MaxAttempts": 30})

    def test_errors_are_typed(self):
        self.refused("ClusterNotFoundException", self.ecs.list_tasks, cluster="nowhere")
        self.refused("ClientException", self.ecs.describe_task_definition, taskDefinition="nowhere")
        self.refused("InvalidParameterException", self.ecs.stop_task, task="f" * 32)
        self.refused("ClusterContainsContainerInstancesException", self.ecs.delete_cluster, cluster="default")
        self.refused("TargetNotFoundException", self.ecs.put_attributes, attributes=[{"name": "a", "value": "b", "targetId": "f" * 32}])
        unsupported = self.refused("UnsupportedFeatureException", self.ecs.create_service, serviceName="s", taskDefinition="boto3", desiredCount=1)
        self.assertIn("CreateService", str(unsupported))

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


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Boto3Test))
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(bad != 0)
