CREATE TABLE "provided_methods" (
	"provenance" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"place" integer NOT NULL,
	"verb" text NOT NULL,
	"path" text NOT NULL,
	"deprecated" boolean NOT NULL,
	"is_read" boolean NOT NULL,
	CONSTRAINT "provided_methods_provenance_name_pk" PRIMARY KEY("provenance","name")
);
--> statement-breakpoint
CREATE TABLE "integration_models" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"title" text NOT NULL,
	"specification" text NOT NULL,
	"operation_count" integer NOT NULL,
	"security_schemes" jsonb NOT NULL,
	"declared_schemes" jsonb NOT NULL,
	"source" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "integration_operations" (
	"model" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"place" integer NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"summary" text NOT NULL,
	"tags" jsonb NOT NULL,
	"deprecated" boolean NOT NULL,
	"operation" jsonb NOT NULL,
	CONSTRAINT "integration_operations_model_name_pk" PRIMARY KEY("model","name")
);
--> statement-breakpoint
DROP INDEX "roles_name";--> statement-breakpoint
ALTER TABLE "roles" ADD COLUMN "provenance" text collate "C" GENERATED ALWAYS AS (doc ->> 'provenance') STORED;--> statement-breakpoint
ALTER TABLE "roles" ADD COLUMN "provided" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "integration_operations" ADD CONSTRAINT "integration_operations_model_integration_models_id_fk" FOREIGN KEY ("model") REFERENCES "public"."integration_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "integration_operations_place" ON "integration_operations" USING btree ("model","place");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name" ON "roles" USING btree ("name","provenance");