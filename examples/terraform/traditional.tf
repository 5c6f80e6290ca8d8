# Approach 2: a group of machines of one type.

resource "aws_launch_template" "gpu_traditional" {
  name_prefix   = "gpu-ecs-traditional-"
  image_id      = "ami-0c02fb55956c7d316" # GPU-optimized ECS AMI
  instance_type = "g4dn.xlarge"

  iam_instance_profile {
    name = aws_iam_instance_profile.ecs_instance.name
  }

  vpc_security_group_ids = [aws_security_group.ecs_gpu.id]

  user_data = base64encode(<<-EOF
    #!/bin/bash
    # Configure ECS agent for GPU support
    cat >> /etc/ecs/ecs.config <<ECS_CONFIG
    ECS_CLUSTER=${aws_ecs_cluster.gpu_traditional.name}
    ECS_ENABLE_GPU_SUPPORT=true
    ECS_ENABLE_TASK_IAM_ROLE=true
    ECS_ENABLE_CONTAINER_METADATA=true
    ECS_ENABLE_SPOT_INSTANCE_DRAINING=true
    ECS_LOGLEVEL=info
    ECS_CONFIG

    # Verify NVIDIA drivers are loaded
    nvidia-smi

    # Additional customizations you might need
    # Install CloudWatch agent
    wget https://s3.amazonaws.com/amazoncloudwatch-agent/amazon_linux/amd64/latest/amazon-cloudwatch-agent.rpm
    rpm -U ./amazon-cloudwatch-agent.rpm

    # Custom monitoring or logging setup
    # Your custom scripts here
  EOF
  )

  tag_specifications {
    resource_type = "instance"
    tags = {
      Name    = "ecs-gpu-traditional"
      Cluster = aws_ecs_cluster.gpu_traditional.name
    }
  }
}

resource "aws_autoscaling_group" "gpu_traditional" {
  name                      = "gpu-ecs-asg-traditional"
  desired_capacity          = 1
  max_size                  = 5
  min_size                  = 0
  vpc_zone_identifier       = var.private_subnet_ids
  health_check_type         = "EC2"
  health_check_grace_period = 300
  protect_from_scale_in     = true

  launch_template {
    id      = aws_launch_template.gpu_traditional.id
    version = "$Latest"
  }

  tag {
    key                 = "Name"
    value               = "ecs-gpu-instance"
    propagate_at_launch = true
  }

  lifecycle {
    ignore_changes = [desired_capacity]
  }
}

resource "aws_ecs_capacity_provider" "gpu_traditional" {
  name = "gpu-traditional-capacity-provider"

  auto_scaling_group_provider {
    auto_scaling_group_arn         = aws_autoscaling_group.gpu_traditional.arn
    managed_termination_protection = "ENABLED"

    managed_scaling {
      maximum_scaling_step_size = 2
      minimum_scaling_step_size = 1
      status                    = "ENABLED"
      target_capacity           = 100
    }
  }
}

resource "aws_ecs_cluster" "gpu_traditional" {
  name = "gpu-inference-traditional"
}

resource "aws_ecs_cluster_capacity_providers" "gpu_traditional" {
  cluster_name = aws_ecs_cluster.gpu_traditional.name

  capacity_providers = [aws_ecs_capacity_provider.gpu_traditional.name]

  default_capacity_provider_strategy {
    capacity_provider = aws_ecs_capacity_provider.gpu_traditional.name
    weight            = 1
  }
}

resource "aws_ecs_task_definition" "gpu_inference_traditional" {
  family                   = "llm-inference-traditional"
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
          "awslogs-group"         = "/ecs/gpu-inference-traditional"
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

resource "aws_ecs_service" "gpu_inference_traditional" {
  name            = "llm-inference-traditional"
  cluster         = aws_ecs_cluster.gpu_traditional.id
  task_definition = aws_ecs_task_definition.gpu_inference_traditional.arn
  desired_count   = 2

  capacity_provider_strategy {
    capacity_provider = aws_ecs_capacity_provider.gpu_traditional.name
    weight            = 1
  }

  network_configuration {
    subnets          = var.private_subnet_ids
    security_groups  = [aws_security_group.inference_tasks.id]
    assign_public_ip = false
  }

  load_balancer {
    target_group_arn = aws_lb_target_group.inference["traditional"].arn
    container_name   = "inference-container"
    container_port   = 8000
  }

  deployment_maximum_percent         = 200
  deployment_minimum_healthy_percent = 100

  depends_on = [aws_ecs_cluster_capacity_providers.gpu_traditional]
}
