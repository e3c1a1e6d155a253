CREATE TABLE "adapter_package_tasks" (
	"type" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"place" integer NOT NULL,
	"task" jsonb NOT NULL,
	CONSTRAINT "adapter_package_tasks_type_name_pk" PRIMARY KEY("type","name")
);
--> statement-breakpoint
CREATE TABLE "adapter_packages" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "adapter_package_tasks" ADD CONSTRAINT "adapter_package_tasks_type_adapter_packages_id_fk" FOREIGN KEY ("type") REFERENCES "public"."adapter_packages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "adapter_package_tasks_place" ON "adapter_package_tasks" USING btree ("type","place");