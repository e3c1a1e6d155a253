CREATE TABLE "adapter_catalogue_tasks" (
	"type" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"place" integer NOT NULL,
	"summary" text NOT NULL,
	"task" jsonb NOT NULL,
	CONSTRAINT "adapter_catalogue_tasks_type_name_pk" PRIMARY KEY("type","name")
);
--> statement-breakpoint
CREATE TABLE "adapter_catalogues" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"task_count" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "adapter_catalogue_tasks" ADD CONSTRAINT "adapter_catalogue_tasks_type_adapter_catalogues_id_fk" FOREIGN KEY ("type") REFERENCES "public"."adapter_catalogues"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "adapter_catalogue_tasks_place" ON "adapter_catalogue_tasks" USING btree ("type","place");