-- Who reports a device, one row each: what db/device-origins.ts reads. A further origin is one more "union all" here.
-- "rank" orders the origins of one name, the first is who is asked; "read_groups" decides who sees the row.
CREATE VIEW "device_origins" AS
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
FROM "gateway_hosts";
