CREATE TABLE "deleted_access_lists" (
	"kind" text NOT NULL,
	"id" text collate "C" NOT NULL,
	"read_groups" jsonb NOT NULL,
	"deleted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deleted_access_lists_kind_id_pk" PRIMARY KEY("kind","id")
);

--> statement-breakpoint
-- written by hand
-- Keeps the access list of a deleted document, where it restricted access (decision 0058): what outlives the document is
-- read by those who could read it. TG_ARGV[0] is the place of the list in the document.
CREATE FUNCTION keep_access_list() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place text[] := TG_ARGV[0];
BEGIN
  DELETE FROM deleted_access_lists kept USING gone
    WHERE kept.kind = TG_TABLE_NAME AND kept.id = gone.id AND coalesce(gone.doc #> place, '[]') = '[]';
  INSERT INTO deleted_access_lists (kind, id, read_groups)
    SELECT TG_TABLE_NAME, id, doc #> place FROM gone WHERE coalesce(doc #> place, '[]') <> '[]'
    ON CONFLICT (kind, id) DO UPDATE SET read_groups = excluded.read_groups, deleted_at = excluded.deleted_at;
  RETURN NULL;
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  listed record;
BEGIN
  FOR listed IN SELECT table_name AS name, '{gbac,read}' AS place FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'write_groups'
    UNION ALL SELECT 'projects', '{accessControl,read}'
  LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_access_list(%L)',
      listed.name || '_access_list_kept', listed.name, listed.place);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Nobody knows any more who could read trees and plans that were deleted before: what they left is for admins only.
INSERT INTO deleted_access_lists (kind, id, read_groups)
WITH RECURSIVE walked(id) AS (
  (SELECT tree_id FROM compliance_report ORDER BY tree_id LIMIT 1)
  UNION ALL
  SELECT (SELECT tree_id FROM compliance_report r WHERE r.tree_id > walked.id ORDER BY tree_id LIMIT 1)
  FROM walked WHERE walked.id IS NOT NULL
), trees(id) AS (
  SELECT id FROM walked WHERE id IS NOT NULL
  UNION SELECT tree_id FROM remediations WHERE tree_id IS NOT NULL
  UNION SELECT unnest(tree_ids) COLLATE "C" FROM compliance_batch
)
SELECT 'golden_trees', id, '["-"]'::jsonb FROM trees WHERE NOT EXISTS (SELECT FROM golden_trees g WHERE g.id = trees.id)
UNION ALL
SELECT DISTINCT 'compliance_plans', plan_id, '["-"]'::jsonb FROM compliance_plan_instances i
WHERE plan_id IS NOT NULL AND NOT EXISTS (SELECT FROM compliance_plans p WHERE p.id = i.plan_id);
