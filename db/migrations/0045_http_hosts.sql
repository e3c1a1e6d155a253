-- written by hand
-- Hosts of the http inventory are web services and no devices (docs/contract/lifecycle.md, section 12).
CREATE OR REPLACE VIEW "device_origins" AS
SELECT
  "id",
  "name",
  'gateway'::text COLLATE "C" AS "origin",
  'Gateway'::text COLLATE "C" AS "adapter_type",
  CASE "kind" WHEN 'cli' THEN 0 ELSE 1 END AS "rank",
  "host",
  ("doc" ->> 'port')::integer AS "port",
  coalesce("ostype", '') COLLATE "C" AS "ostype",
  "read_groups",
  jsonb_build_object(
    'name', "name",
    'host', "host",
    'ipaddress', "host",
    'port', "doc" -> 'port',
    'ostype', coalesce("ostype", ''),
    'deviceType', coalesce("ostype", ''),
    'device-type', CASE "kind" WHEN 'cli' THEN 'network_cli' ELSE 'gnoi' END,
    'device_type', coalesce("device_type", ''),
    'tags', coalesce("doc" -> 'tags', '[]'::jsonb),
    'actions', CASE "kind"
      WHEN 'cli' THEN '["getConfig", "setConfig", "runCommand", "isAlive"]'::jsonb
      ELSE '["traceroute", "isAlive"]'::jsonb
    END,
    'origin', 'gateway',
    'chosenAdapter', 'gateway',
    'status', 'UNKNOWN'
  ) AS "doc"
FROM "gateway_hosts"
WHERE "kind" IN ('cli', 'grpc')
UNION ALL
SELECT
  "known"."id",
  "known"."name",
  "known"."adapter",
  ("orchestrator"."doc" #>> '{properties,type}') COLLATE "C",
  1 + "orchestrator"."place",
  "known"."host",
  ("known"."doc" ->> 'port')::integer,
  coalesce("known"."ostype", '') COLLATE "C",
  NULL::jsonb,
  "known"."doc"
FROM "adapter_devices" AS "known"
JOIN "adapters" AS "orchestrator" ON "orchestrator"."id" = "known"."adapter";
