-- written by hand

-- A device without an access list that a selection matches differs from a name that a group lists: an admin may close it
-- (decision 0112).
CREATE OR REPLACE FUNCTION "device_group_members"("doc" jsonb) RETURNS TABLE ("name" text, "read_groups" jsonb)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  IF jsonb_typeof("doc" -> 'selection') = 'object' THEN
    RETURN QUERY SELECT DISTINCT ON ("s"."name", "s"."read_groups") "s"."name", coalesce("s"."read_groups", '[]'::jsonb)
      FROM selected_devices(("doc" -> 'selection') - 'groups') AS "s";
  ELSE
    RETURN QUERY SELECT "member", NULL::jsonb FROM jsonb_array_elements_text("doc" -> 'devices') AS "member";
  END IF;
END
$$;
