# The AWS provider, unmodified, with Berth as the endpoint of every service.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
}

variable "berth" {
  description = "The address of the server."
  default     = "http://127.0.0.1:9280"
}

variable "region" {
  default = "us-east-1"
}

provider "aws" {
  region                      = var.region
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true

  endpoints {
    autoscaling = var.berth
    ec2         = var.berth
    ecs         = var.berth
    elbv2       = var.berth
    iam         = var.berth
    ssm         = var.berth
    sts         = var.berth
  }
}

data "aws_region" "current" {}
