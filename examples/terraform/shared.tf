# What both approaches need. Berth keeps roles, profiles and security groups for Terraform and shows them; they change nothing on machines.

variable "vpc_id" {
  description = "Any name: Berth makes no networks."
  default     = "vpc-machines"
}

variable "private_subnet_ids" {
  type    = list(string)
  default = ["subnet-rack-1", "subnet-rack-2"]
}

variable "role_prefix" {
  description = "Names of roles and of the instance profile begin with it."
  default     = "gpu-inference"
}

locals {
  trust = {
    for service in ["ec2", "ecs-tasks"] : service => jsonencode({
      Version = "2012-10-17"
      Statement = [{
        Effect    = "Allow"
        Action    = "sts:AssumeRole"
        Principal = { Service = "${service}.amazonaws.com" }
      }]
    })
  }
}

resource "aws_iam_role" "ecs_instance" {
  name               = "${var.role_prefix}-instance"
  assume_role_policy = local.trust["ec2"]
}

resource "aws_iam_role_policy_attachment" "ecs_instance" {
  role       = aws_iam_role.ecs_instance.name
  policy_arn = "arn:aws:iam::aws:policy/service-role/AmazonEC2ContainerServiceforEC2Role"
}

resource "aws_iam_instance_profile" "ecs_instance" {
  name = "${var.role_prefix}-instance"
  role = aws_iam_role.ecs_instance.name
}

resource "aws_iam_role" "task_execution" {
  name               = "${var.role_prefix}-execution"
  assume_role_policy = local.trust["ecs-tasks"]
}

resource "aws_iam_role" "task" {
  name               = "${var.role_prefix}-task"
  assume_role_policy = local.trust["ecs-tasks"]
}

resource "aws_security_group" "ecs_gpu" {
  name   = "ecs-gpu"
  vpc_id = var.vpc_id

  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_security_group" "inference_tasks" {
  name   = "inference-tasks"
  vpc_id = var.vpc_id

  ingress {
    protocol    = "tcp"
    from_port   = 8000
    to_port     = 8000
    cidr_blocks = ["10.0.0.0/8"]
  }
}

resource "aws_lb_target_group" "inference" {
  for_each             = toset(["managed", "traditional"])
  name                 = "inference-${each.key}"
  port                 = 8000
  protocol             = "HTTP"
  target_type          = "ip"
  vpc_id               = var.vpc_id
  deregistration_delay = 10
}

data "aws_ssm_parameter" "ecs_managed_ami" {
  name = "/aws/service/ecs/optimized-ami/amazon-linux-2/gpu/recommended/image_id"
}
