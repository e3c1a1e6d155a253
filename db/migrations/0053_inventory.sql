CREATE TABLE "inventory_run_batches" (
	"run" text NOT NULL,
	"batch" integer NOT NULL,
	"items" jsonb NOT NULL,
	CONSTRAINT "inventory_run_batches_run_batch_pk" PRIMARY KEY("run","batch")
);
--> statement-breakpoint
CREATE TABLE "inventory_runs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"doc" jsonb NOT NULL,
	"account" text NOT NULL,
	"status" text NOT NULL,
	"started" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inventory_sources" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"secrets" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"account" text NOT NULL,
	"due_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "gateway_hosts" ADD COLUMN "source" text collate "C" GENERATED ALWAYS AS (doc ->> 'source') STORED;--> statement-breakpoint
CREATE INDEX "inventory_runs_source" ON "inventory_runs" USING btree ("source","started" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "inventory_runs_running" ON "inventory_runs" USING btree ("source") WHERE status = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "inventory_sources_name" ON "inventory_sources" USING btree ("name");--> statement-breakpoint
CREATE INDEX "inventory_sources_due" ON "inventory_sources" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "gateway_hosts_source" ON "gateway_hosts" USING btree ("source") WHERE source is not null;--> statement-breakpoint
-- written by hand

-- Devices have tags, site, custom fields and source, by which selections find them (docs/inventory.md).
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
  ) || jsonb_strip_nulls(jsonb_build_object(
    'site', "doc" -> 'site',
    'custom', "doc" -> 'custom',
    'source', "doc" -> 'source'
  )) AS "doc",
  coalesce("device_type", '') COLLATE "C" AS "device_type",
  coalesce("doc" -> 'tags', '[]'::jsonb) AS "tags",
  ("doc" ->> 'site') COLLATE "C" AS "site",
  "source"
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
  "known"."doc",
  coalesce("known"."doc" ->> 'device_type', '') COLLATE "C",
  coalesce("known"."doc" -> 'tags', '[]'::jsonb),
  ("known"."doc" ->> 'site') COLLATE "C",
  NULL::text COLLATE "C"
FROM "adapter_devices" AS "known"
JOIN "adapters" AS "orchestrator" ON "orchestrator"."id" = "known"."adapter";
--> statement-breakpoint
CREATE FUNCTION "glob_like"("glob" text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT replace(replace(replace(replace(replace("glob", '\', '\\'), '%', '\%'), '_', '\_'), '*', '%'), '?', '_')
$$;
--> statement-breakpoint
CREATE FUNCTION "json_texts"("list" jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array(SELECT jsonb_array_elements_text("list"))
$$;
--> statement-breakpoint
-- What a selection matches, one row for each origin: readers leave the rows that a caller may see by "read_groups".
-- Its "groups" are ids. Lists become arrays first, and the plan is made for them, so that absent fields cost nothing.
CREATE FUNCTION "selected_devices"("selection" jsonb)
RETURNS TABLE ("name" text, "read_groups" jsonb)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  "wanted" text[] := json_texts("selection" -> 'names');
  "like_name" text := glob_like("selection" ->> 'pattern');
  "any_tag" text[] := json_texts("selection" -> 'tags');
  "platforms" text[] := json_texts(lower(("selection" -> 'platforms')::text)::jsonb);
  "sites" text[] := json_texts("selection" -> 'sites');
  "sources" text[] := json_texts("selection" -> 'sources');
  "members" text[];
  "left_out" text[];
  "not_like" text[];
BEGIN
  IF "selection" ? 'groups' THEN
    "members" := array(
      SELECT "member"."name" FROM "device_groups", LATERAL device_group_members("device_groups"."doc") AS "member"
      WHERE "device_groups"."id" = ANY (json_texts("selection" -> 'groups')));
  END IF;
  IF jsonb_typeof("selection" -> 'exclude') = 'object' THEN
    "left_out" := array(SELECT "excluded"."name" FROM selected_devices("selection" -> 'exclude') AS "excluded");
  ELSIF "selection" ? 'exclude' THEN
    "left_out" := array(SELECT "one" FROM unnest(json_texts("selection" -> 'exclude')) AS "one" WHERE "one" !~ '[*?]');
    "not_like" := array(
      SELECT glob_like("one") FROM unnest(json_texts("selection" -> 'exclude')) AS "one" WHERE "one" ~ '[*?]');
  END IF;
  RETURN QUERY SELECT "o"."name", "o"."read_groups" FROM "device_origins" AS "o"
    WHERE ("wanted" IS NULL OR "o"."name" = ANY ("wanted"))
      AND ("like_name" IS NULL OR ("o"."name" COLLATE "default") ILIKE "like_name")
      AND ("any_tag" IS NULL OR "o"."tags" ?| "any_tag")
      AND ("members" IS NULL OR "o"."name" = ANY ("members"))
      AND ("platforms" IS NULL OR lower("o"."ostype") = ANY ("platforms") OR lower("o"."device_type") = ANY ("platforms"))
      AND ("sites" IS NULL OR "o"."site" = ANY ("sites"))
      AND ("sources" IS NULL OR "o"."source" = ANY ("sources") OR "o"."origin" = ANY ("sources"))
      AND ("left_out" IS NULL OR NOT "o"."name" = ANY ("left_out"))
      AND ("not_like" IS NULL OR NOT ("o"."name" COLLATE "default") ILIKE ANY ("not_like"));
END
$$;
--> statement-breakpoint
-- The members of a device group: the names that it lists, or what its selection matches now. The selection of a group
-- names no groups, so that groups cannot contain each other.
CREATE FUNCTION "device_group_members"("doc" jsonb) RETURNS TABLE ("name" text, "read_groups" jsonb)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  IF jsonb_typeof("doc" -> 'selection') = 'object' THEN
    RETURN QUERY SELECT DISTINCT ON ("s"."name", "s"."read_groups") "s"."name", "s"."read_groups"
      FROM selected_devices(("doc" -> 'selection') - 'groups') AS "s";
  ELSE
    RETURN QUERY SELECT "member", NULL::jsonb FROM jsonb_array_elements_text("doc" -> 'devices') AS "member";
  END IF;
END
$$;
