CREATE TABLE "imported_authors" (
	"id" text PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL
);
