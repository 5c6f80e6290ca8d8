# Approach 1: a group of machines that instance requirements choose.

resource "aws_ecs_cluster" "gpu_managed" {
  name = "gpu-inference-managed"

  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}

resource "aws_launch_template" "ecs_managed_gpu" {
  name_prefix = "ecs-managed-gpu-"
  image_id    = data.aws_ssm_parameter.ecs_managed_ami.value

  iam_instance_profile {
    arn = aws_iam_instance_profile.ecs_instance.arn
  }

  vpc_security_group_ids = [aws_security_group.ecs_gpu.id]

  tag_specifications {
    resource_type = "instance"
    tags = {
      Name             = "ecs-managed-gpu"
      AmazonECSManaged = true # This is critical
    }
  }

  # Instance requirements for GPU selection
  instance_requirements {
    memory_mib {
      min = 16384
    }
    vcpu_count {
      min = 4
    }
    accelerator_types = ["gpu"]
    accelerator_count {
      min = 1
      max = 1
    }
    accelerator_manufacturers = ["nvidia"]

    # Can also specify allowed instance types
    allowed_instance_types = ["g4dn.xlarge", "g4dn.2xlarge"]
  }

  # No user data needed: the cluster is that of the capacity provider
}

resource "aws_autoscaling_group" "ecs_managed_gpu" {
  name                = "ecs-managed-gpu"
  desired_capacity    = 0
  max_size            = 2
  min_size            = 0
  vpc_zone_identifier = var.private_subnet_ids

  launch_template {
    id      = aws_launch_template.ecs_managed_gpu.id
    version = "$Latest"
  }

  tag {
    key                 = "AmazonECSManaged"
    value               = true
    propagate_at_launch = true
  }

  lifecycle {
    ignore_changes = [desired_capacity]
  }
}

resource "aws_ecs_capacity_provider" "gpu_managed" {
  name = "gpu-managed-capacity-provider"

  auto_scaling_group_provider {
    auto_scaling_group_arn = aws_autoscaling_group.ecs_managed_gpu.arn
    managed_scaling {
      maximum_scaling_step_size = 2
      minimum_scaling_step_size = 1
      status                    = "ENABLED"
      target_capacity           = 100
      instance_warmup_period    = 300
    }
    managed_termination_protection = "DISABLED"
    managed_draining               = "ENABLED"
  }
}

resource "aws_ecs_cluster_capacity_providers" "gpu_managed" {
  cluster_name       = aws_ecs_cluster.gpu_managed.name
  capacity_providers = [aws_ecs_capacity_provider.gpu_managed.name]
}

resource "aws_ecs_task_definition" "gpu_inference_managed" {
  family                   = "llm-inference-managed"
  requires_compatibilities = ["EC2"]
  network_mode             = "awsvpc"
  cpu                      = "4096"
  memory                   = "16384"
  execution_role_arn       = aws_iam_role.task_execution.arn
  task_role_arn            = aws_iam_role.task.arn

  container_definitions = jsonencode([
    {
      name      = "inference-container"
      image     = "nvidia/cuda:12.1.0-runtime-ubuntu22.04"
      essential = true

      command = [
        "/bin/bash",
        "-c",
        "nvidia-smi && python3 /app/serve_model.py"
      ]

      environment = [
        {
          name  = "NVIDIA_VISIBLE_DEVICES"
          value = "all"
        },
        {
          name  = "NVIDIA_DRIVER_CAPABILITIES"
          value = "compute,utility"
        }
      ]

      portMappings = [
        {
          containerPort = 8000
          protocol      = "tcp"
        }
      ]

      logConfiguration = {
        logDriver = "awslogs"
        options = {
          "awslogs-group"         = "/ecs/gpu-inference-managed"
          "awslogs-region"        = data.aws_region.current.name
          "awslogs-stream-prefix" = "gpu"
        }
      }

      resourceRequirements = [
        {
          type  = "GPU"
          value = "1"
        }
      ]
    }
  ])
}

resource "aws_ecs_service" "gpu_inference_managed" {
  name            = "llm-inference-managed"
  cluster         = aws_ecs_cluster.gpu_managed.id
  task_definition = aws_ecs_task_definition.gpu_inference_managed.arn
  desired_count   = 2

  capacity_provider_strategy {
    capacity_provider = aws_ecs_capacity_provider.gpu_managed.name
    weight            = 1
  }

  network_configuration {
    subnets          = var.private_subnet_ids
    security_groups  = [aws_security_group.inference_tasks.id]
    assign_public_ip = false
  }

  load_balancer {
    target_group_arn = aws_lb_target_group.inference["managed"].arn
    container_name   = "inference-container"
    container_port   = 8000
  }

  deployment_maximum_percent         = 200
  deployment_minimum_healthy_percent = 100

  depends_on = [aws_ecs_cluster_capacity_providers.gpu_managed]
}
