"""Runs an existing agent tool server against the demo, as an agent would, and prints the outcome of every tool.

    python3 -m venv venv && venv/bin/pip install itential-mcp==0.14.1
    ADMIN_PASSWORD=… venv/bin/python deploy/clients/try-agent-tools.py http://127.0.0.1:3000 venv/bin/itential-mcp

The service is `npm run demo`. The tools check every answer against the models of their own package. Ends with 1 when a tool fails
that must work; tools of areas that this service does not have are counted apart.
"""

import asyncio
import json
import os
import sys
from urllib.parse import urlsplit

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

URL, SERVER = urlsplit(sys.argv[1]), sys.argv[2]
DEVICE, OTHER = "lab-cisco-ios", "lab-arista-eos"
WORKFLOW = "Trial of agent tools"
MODEL = {
    "openapi": "3.0.3",
    "info": {"title": "Trial", "version": "1.0"},
    "servers": [{"url": "http://127.0.0.1:9/"}],
    "paths": {"/sites": {"get": {"operationId": "listSites", "responses": {"200": {"description": "Sites"}}}}},
}

# Tool, arguments (or a function of the answers so far), and a text that the answer must contain.
STEPS = [
    ("get_health", {}, "apps"),
    ("get_devices", {}, DEVICE),
    ("get_device_configuration", {"name": DEVICE}, "hostname"),
    ("backup_device_configuration", {"name": DEVICE, "description": "trial"}, "success"),
    ("apply_device_configuration", {"device": DEVICE, "config": "ntp server 192.0.2.77"}, "success"),
    ("run_command", {"cmd": "show version", "devices": [DEVICE, OTHER]}, OTHER),
    (
        "create_command_template",
        {
            "name": "Trial",
            "commands": [
                {
                    "command": "show version",
                    "passRule": True,
                    "rules": [{"rule": "IOS", "eval": "contains", "severity": "error"}],
                }
            ],
        },
        "Trial",
    ),
    ("get_command_templates", {}, "Trial"),
    ("describe_command_template", {"name": "Trial"}, "show version"),
    ("run_command_template", {"name": "Trial", "devices": [DEVICE]}, '"all_pass_flag":true'),
    ("update_command_template", {"name": "Trial", "commands": [{"command": "show clock"}]}, '"modifiedCount":1'),
    ("create_device_group", {"name": "Trial", "description": "", "devices": [DEVICE]}, "created"),
    ("add_devices_to_group", {"name": "Trial", "devices": [OTHER]}, "success"),
    ("remove_devices_from_group", {"name": "Trial", "devices": [OTHER]}, "success"),
    ("get_device_groups", {}, "Trial"),
    ("get_compliance_plans", {}, "Lab"),
    ("run_compliance_plan", {"name": "Lab"}, "running"),
    ("get_golden_config_trees", {}, "Lab routers"),
    (
        "add_golden_config_node",
        {"tree_name": "Lab routers", "name": "trial", "version": "initial", "path": "base", "template": "hostname trial"},
        "trial",
    ),
    ("render_template", {"template": "hostname {{ name }}", "variables": {"name": "edge"}}, "hostname edge"),
    (
        "create_template",
        {"name": "Trial", "template_type": "jinja2", "group": "trial", "template": "hi {{ x }}", "data": '{"x":1}'},
        "hi {{ x }}",
    ),
    ("describe_template", {"name": "Trial"}, "hi {{ x }}"),
    ("update_template", {"name": "Trial", "template": "ho {{ x }}"}, "ho {{ x }}"),
    ("get_templates", {}, "Trial"),
    ("create_integration_model", {"model": MODEL}, "OK"),
    ("get_integration_models", {}, "Trial:1.0"),
    ("get_integrations", {}, "cmdb"),
    ("get_adapters", {}, "lab-orchestrator"),
    ("restart_adapter", {"name": "lab-orchestrator"}, "RUNNING"),
    ("stop_adapter", {"name": "lab-orchestrator"}, "STOPPED"),
    ("start_adapter", {"name": "lab-orchestrator"}, "RUNNING"),
    ("get_applications", {}, "AutomationStudio"),
    ("restart_application", {"name": "AutomationStudio"}, "RUNNING"),
    ("stop_application", {"name": "AutomationStudio"}, "STOPPED"),
    ("start_application", {"name": "AutomationStudio"}, "RUNNING"),
    ("get_projects", {}, "Change with ticket"),
    ("describe_project", {"name": "Change with ticket"}, "Change with ticket"),
    ("expose_workflow", {"name": WORKFLOW, "route_name": "trial"}, "trial"),
    ("get_workflows", {}, WORKFLOW),
    ("get_automations", {}, WORKFLOW),
    ("get_agents", {}, "[]"),
    ("start_workflow", {"route_name": "trial", "data": {}}, WORKFLOW),
    ("trigger_automation", {"route_name": "trial", "data": {}}, WORKFLOW),
    ("get_jobs", {"name": WORKFLOW}, WORKFLOW),
    ("describe_job", lambda answers: {"object_id": json.loads(answers["get_jobs"])[0]["_id"]}, WORKFLOW),
    ("get_job_metrics", {}, ""),
    ("get_job_metrics_for_workflow", {"name": WORKFLOW}, ""),
    ("get_task_metrics", {}, ""),
    ("get_task_metrics_for_workflow", {"name": WORKFLOW}, ""),
    ("get_task_metrics_for_app", {"name": "WorkFlowEngine"}, ""),
    ("get_task_metrics_for_task", {"name": "delay"}, ""),
]


def workflow() -> dict:
    ends = {"workflow_start": {"x": 0, "y": 0}, "workflow_end": {"x": 400, "y": 0}}
    tasks = {name: {"name": name, "summary": name, "groups": [], "nodeLocation": at} for name, at in ends.items()}
    step = {"state": "success", "type": "standard"}
    return {
        "name": WORKFLOW,
        "type": "automation",
        "tasks": tasks,
        "transitions": {"workflow_start": {"workflow_end": step}, "workflow_end": {}},
        "canvasVersion": 3,
        "groups": [],
    }


async def store(document: dict) -> None:
    """Stores the workflow that the tools start, with the client library that they use themselves."""
    import ipsdk

    platform = ipsdk.platform_factory(
        host=URL.hostname,
        port=URL.port,
        use_tls=URL.scheme == "https",
        user="admin",
        password=os.environ["ADMIN_PASSWORD"],
        want_async=True,
    )
    await platform.post("/automation-studio/automations", json={"automation": document})


async def main() -> int:
    await store(workflow())
    options = {
        "HOST": URL.hostname,
        "PORT": str(URL.port),
        "DISABLE_TLS": str(URL.scheme == "http").lower(),
        "USER": "admin",
        "PASSWORD": os.environ["ADMIN_PASSWORD"],
    }
    environment = {f"ITENTIAL_MCP_PLATFORM_{name}": value for name, value in options.items()}
    failed, answers = [], {}
    async with Client(StdioTransport(SERVER, ["run"], env={**os.environ, **environment})) as client:
        known = {tool.name for tool in await client.list_tools()}
        for tool, arguments, wanted in STEPS:
            given = None
            try:
                given = arguments(answers) if callable(arguments) else arguments
                answer = await client.call_tool(tool, given)
                text = answers[tool] = "".join(getattr(part, "text", "") for part in answer.content)
                problem = None if wanted in text else f"the answer lacks {wanted}: {text[:300]}"
            except Exception as error:  # every fault of a tool is an outcome of the trial
                problem = str(error)[:300]
            print(f"{'FAILED' if problem else 'ok':7} {tool} {json.dumps(given)[:60]}{f': {problem}' if problem else ''}")
            if problem:
                failed.append(tool)
    tried = {tool for tool, _, _ in STEPS}
    print(f"{len(tried) - len(failed)} of {len(tried)} tools work; {len(known - tried)} of other areas were not tried:")
    print(", ".join(sorted(known - tried)))
    return 1 if failed else 0


sys.exit(asyncio.run(main()))
