ALTER TABLE "jobs" ADD COLUMN "masked" boolean GENERATED ALWAYS AS (doc ?| array['sealed', 'plainSecrets']) STORED NOT NULL;--> statement-breakpoint
-- written by hand
-- Jobs that ended before secrets were known by the names of their members are not sealed: those that may hold one are
-- marked once, and lists look for none any more (docs/decisions/0027).
UPDATE jobs SET doc = doc || '{"plainSecrets": true}', rev = rev + 1
WHERE NOT doc ? 'sealed' AND (doc @? '$.decorators[*] ? (@.type == "encryption")'
  OR doc::text ~* 'passw|passphrase|"pwd"|"pass"|secret|token|api.?key|private.?key|key.?path|community|authorization');
