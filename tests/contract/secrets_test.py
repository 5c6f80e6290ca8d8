#!/usr/bin/env python3
"""Secrets Manager and Parameter Store as boto3 knows them: replies, error classes, paginators, and what outlives a kill."""
import os
import re
import shutil
import signal
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
KEY, SECRET = "AKIASECRETSTESTROOTS", "secrets/test/secret"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "ECS_", "BERTH_"))}


class SecretsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.mkdtemp(prefix="berth-secrets-")
        cls.start()

    @classmethod
    def start(cls):
        log = os.path.join(cls.data, "server.log")
        with open(log, "w") as file:
            cls.server = subprocess.Popen([BERTH, "server", "--data", os.path.join(cls.data, "store"), "--listen", "127.0.0.1:0", "--log-level", "debug"],
                                          stderr=file, env={**ENVIRONMENT, "BERTH_ROOT_ACCESS_KEY_ID": KEY, "BERTH_ROOT_SECRET_ACCESS_KEY": SECRET})
        end = time.time() + 120
        ready = None
        while ready is None and time.time() < end:
            ready = re.search(r"ready at (http://[\d.:]+)\s", open(log).read())
            time.sleep(0.05)
        cls.url = ready.group(1)
        cls.secrets, cls.ssm = cls.client("secretsmanager"), cls.client("ssm")

    @classmethod
    def client(cls, service, key=KEY, secret=SECRET):
        return boto3.client(service, region_name="us-east-1", endpoint_url=cls.url, aws_access_key_id=key, aws_secret_access_key=secret,
                            config=Config(retries={"max_attempts": 0}))

    @classmethod
    def tearDownClass(cls):
        answers.keep_counts(cls.url, KEY, SECRET)
        cls.server.terminate()
        cls.server.wait(timeout=120)
        shutil.rmtree(cls.data)

    def refused(self, client, code, call, **arguments):
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)
        self.assertTrue(caught.exception.response["Error"]["Message"])
        if code not in ("ValidationException", "AccessDeniedException", "InvalidSignatureException", "UnrecognizedClientException"):
            self.assertIsInstance(caught.exception, getattr(client.exceptions, code))      # the others are in no service's model

    def test_secret(self):
        made = self.secrets.create_secret(Name="app/db", SecretString="one", Description="words", Tags=[{"Key": "team", "Value": "ml"}])
        self.assertRegex(made["ARN"], r"^arn:aws:secretsmanager:us-east-1:123456789012:secret:app/db-[A-Za-z0-9]{6}$")
        got = self.secrets.get_secret_value(SecretId=made["ARN"])
        self.assertEqual((got["SecretString"], got["VersionStages"], got["VersionId"]), ("one", ["AWSCURRENT"], made["VersionId"]))
        put = self.secrets.put_secret_value(SecretId="app/db", SecretString="two")
        self.assertEqual(self.secrets.get_secret_value(SecretId="app/db")["SecretString"], "two")
        self.assertEqual(self.secrets.get_secret_value(SecretId="app/db", VersionStage="AWSPREVIOUS")["SecretString"], "one")
        self.assertEqual(self.secrets.get_secret_value(SecretId="app/db", VersionId=made["VersionId"])["SecretString"], "one")
        described = self.secrets.describe_secret(SecretId="app/db")
        self.assertEqual(described["VersionIdsToStages"], {put["VersionId"]: ["AWSCURRENT"], made["VersionId"]: ["AWSPREVIOUS"]})
        self.assertEqual((described["Description"], described["Tags"]), ("words", [{"Key": "team", "Value": "ml"}]))
        self.secrets.update_secret(SecretId="app/db", SecretString="three", Description="others")
        self.assertEqual(self.secrets.describe_secret(SecretId="app/db")["Description"], "others")
        self.secrets.delete_secret(SecretId="app/db", RecoveryWindowInDays=7)
        self.refused(self.secrets, "InvalidRequestException", self.secrets.get_secret_value, SecretId="app/db")
        self.secrets.restore_secret(SecretId="app/db")
        self.assertEqual(self.secrets.get_secret_value(SecretId="app/db")["SecretString"], "three")
        self.secrets.delete_secret(SecretId="app/db", ForceDeleteWithoutRecovery=True)
        self.refused(self.secrets, "ResourceNotFoundException", self.secrets.get_secret_value, SecretId="app/db")

    def test_secret_refusals(self):
        self.secrets.create_secret(Name="there", SecretString="x")
        self.refused(self.secrets, "ResourceExistsException", self.secrets.create_secret, Name="there", SecretString="y")
        self.refused(self.secrets, "InvalidParameterException", self.secrets.create_secret, Name="bytes", SecretBinary=b"\0")
        self.refused(self.secrets, "InvalidRequestException", self.secrets.put_secret_value, SecretId="there")
        self.refused(self.secrets, "InvalidNextTokenException", self.secrets.list_secrets, NextToken="x")
        self.refused(self.secrets, "ValidationException", self.secrets.create_secret, Name="a name")
        for call in (self.secrets.describe_secret, self.secrets.delete_secret, self.secrets.restore_secret, self.secrets.get_resource_policy):
            self.refused(self.secrets, "ResourceNotFoundException", call, SecretId="nowhere")

    def test_pages(self):
        for number in range(25):
            self.secrets.create_secret(Name=f"page/{number:02}", SecretString="x")
            self.ssm.put_parameter(Name=f"/page/{number:02}", Value=str(number), Type="String")
        pages = list(self.secrets.get_paginator("list_secrets").paginate(Filters=[{"Key": "name", "Values": ["page/"]}], PaginationConfig={"PageSize": 10}))
        self.assertEqual([len(page["SecretList"]) for page in pages], [10, 10, 5])
        self.assertEqual([one["Name"] for page in pages for one in page["SecretList"]], [f"page/{number:02}" for number in range(25)])
        self.assertFalse(any("SecretString" in one for page in pages for one in page["SecretList"]))
        pages = list(self.ssm.get_paginator("get_parameters_by_path").paginate(Path="/page", PaginationConfig={"PageSize": 10}))
        self.assertEqual([one["Value"] for page in pages for one in page["Parameters"]], [str(number) for number in range(25)])
        filters = [{"Key": "Path", "Option": "Recursive", "Values": ["/page"]}]
        pages = list(self.ssm.get_paginator("describe_parameters").paginate(ParameterFilters=filters, PaginationConfig={"PageSize": 10}))
        self.assertEqual([one["Name"] for page in pages for one in page["Parameters"]], [f"/page/{number:02}" for number in range(25)])

    def test_parameter(self):
        made = self.ssm.put_parameter(Name="/app/token", Value="one", Type="SecureString", Tags=[{"Key": "a", "Value": "b"}])
        self.assertEqual((made["Version"], made["Tier"]), (1, "Standard"))
        self.assertEqual(self.ssm.put_parameter(Name="/app/token", Value="two", Overwrite=True)["Version"], 2)
        got = self.ssm.get_parameter(Name="/app/token", WithDecryption=True)["Parameter"]
        self.assertEqual((got["Value"], got["Type"], got["Version"], got["ARN"], got["DataType"]),
                         ("two", "SecureString", 2, "arn:aws:ssm:us-east-1:123456789012:parameter/app/token", "text"))
        self.assertNotIn("two", self.ssm.get_parameter(Name="/app/token")["Parameter"]["Value"])
        both = self.ssm.get_parameters(Names=[got["ARN"], "/app/token:1", "/app/none"], WithDecryption=True)
        self.assertEqual(([one["Value"] for one in both["Parameters"]], both["InvalidParameters"]), (["two", "one"], ["/app/none"]))
        self.assertEqual(self.ssm.list_tags_for_resource(ResourceType="Parameter", ResourceId="/app/token")["TagList"], [{"Key": "a", "Value": "b"}])
        self.ssm.put_parameter(Name="list", Value="a,b", Type="StringList")
        self.assertEqual(self.ssm.get_parameter(Name="list")["Parameter"]["Value"], "a,b")
        self.ssm.delete_parameter(Name="list")
        gone = self.ssm.delete_parameters(Names=["/app/token", "list"])
        self.assertEqual((gone["DeletedParameters"], gone["InvalidParameters"]), (["/app/token"], ["list"]))

    def test_parameter_refusals(self):
        self.ssm.put_parameter(Name="taken", Value="x", Type="String")
        self.refused(self.ssm, "ParameterAlreadyExists", self.ssm.put_parameter, Name="taken", Value="y", Type="String")
        self.refused(self.ssm, "ParameterNotFound", self.ssm.get_parameter, Name="none")
        self.refused(self.ssm, "ParameterNotFound", self.ssm.delete_parameter, Name="none")
        self.refused(self.ssm, "ParameterVersionNotFound", self.ssm.get_parameter, Name="taken:7")
        self.refused(self.ssm, "ValidationException", self.ssm.put_parameter, Name="a/b", Value="x", Type="String")
        self.refused(self.ssm, "ValidationException", self.ssm.put_parameter, Name="untyped", Value="x")
        self.refused(self.ssm, "ValidationException", self.ssm.put_parameter, Name="long", Value="x" * 4097, Type="String")
        self.refused(self.ssm, "InvalidNextToken", self.ssm.describe_parameters, NextToken="x")
        self.refused(self.ssm, "InvalidResourceId", self.ssm.list_tags_for_resource, ResourceType="Parameter", ResourceId="none")

    def test_signatures(self):
        wrong = self.client("secretsmanager", secret="another")
        self.refused(wrong, "InvalidSignatureException", wrong.list_secrets)
        unknown = self.client("ssm", key="AKIANOBODYNOBODYNOBO")
        self.refused(unknown, "UnrecognizedClientException", unknown.describe_parameters)

    def test_what_outlives_a_kill(self):
        self.secrets.create_secret(Name="kept", SecretString="kept-value-4711")
        self.ssm.put_parameter(Name="/kept", Value="kept-value-4712", Type="SecureString")
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        files = [os.path.join(self.data, "store", name) for name in ("data.mdb", "secrets.key")] + [os.path.join(self.data, "server.log")]
        for file in files:
            with open(file, "rb") as opened:
                self.assertNotIn(b"kept-value", opened.read(), f"no value in {file}")
        self.assertEqual(os.stat(files[1]).st_mode & 0o777, 0o600)
        type(self).start()
        self.assertEqual(self.secrets.get_secret_value(SecretId="kept")["SecretString"], "kept-value-4711")
        self.assertEqual(self.ssm.get_parameter(Name="/kept", WithDecryption=True)["Parameter"]["Value"], "kept-value-4712")


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(SecretsTest))
    bad = len({getattr(case, "test_case", case).id() for case, _ in outcome.failures + outcome.errors})
    print(f"{outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(bad != 0)
