CREATE TABLE "adapter_devices" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"adapter" text collate "C" NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"host" text collate "C" GENERATED ALWAYS AS (doc ->> 'host') STORED,
	"ostype" text collate "C" GENERATED ALWAYS AS (doc ->> 'ostype') STORED
);
--> statement-breakpoint
ALTER TABLE "adapters" ADD COLUMN "place" integer NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "adapters_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "adapters" ADD COLUMN "synced_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "adapter_devices" ADD CONSTRAINT "adapter_devices_adapter_adapters_id_fk" FOREIGN KEY ("adapter") REFERENCES "public"."adapters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "adapter_devices_adapter" ON "adapter_devices" USING btree ("adapter","name");--> statement-breakpoint
CREATE INDEX "adapter_devices_name" ON "adapter_devices" USING btree ("name");