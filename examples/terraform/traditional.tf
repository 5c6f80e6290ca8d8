# Approach 2: a group of machines of one type.

resource "aws_launch_template" "gpu_traditional" {
  name_prefix   = "gpu-ecs-traditional-"
  image_id      = "ami-0c02fb55956c7d316"
  instance_type = "g4dn.xlarge"

  iam_instance_profile {
    name = aws_iam_instance_profile.ecs_instance.name
  }

  vpc_security_group_ids = [aws_security_group.ecs_gpu.id]

  user_data = base64encode(<<-EOF
    #!/bin/bash
    cat >> /etc/ecs/ecs.config <<ECS_CONFIG
    ECS_CLUSTER=${aws_ecs_cluster.gpu_traditional.name}
    ECS_ENABLE_GPU_SUPPORT=true
    ECS_ENABLE_TASK_IAM_ROLE=true
    ECS_ENABLE_CONTAINER_METADATA=true
    ECS_ENABLE_SPOT_INSTANCE_DRAINING=true
    ECS_LOGLEVEL=info
    ECS_CONFIG

    nvidia-smi
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
  desired_capacity          = var.traditional_machines
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

variable "traditional_machines" {
  description = "Machines at the start. Terraform waits for them, so a provisioner must start them."
  default     = 1
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
