CREATE TABLE "notification_channels" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"secrets" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"rule_id" text collate "C" NOT NULL,
	"channel_id" text collate "C" NOT NULL,
	"event_id" bigint NOT NULL,
	"topic" text NOT NULL,
	"events" jsonb NOT NULL,
	"event_count" integer NOT NULL,
	"collecting" boolean DEFAULT false NOT NULL,
	"status" text DEFAULT 'retrying' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "notification_queues" (
	"channel_id" text collate "C" PRIMARY KEY NOT NULL,
	"run" bigint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"last_error" text,
	"last_sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "notification_rules" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"doc" jsonb NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" text collate "C" GENERATED ALWAYS AS (doc ->> 'name') STORED,
	"run_as" text collate "C" GENERATED ALWAYS AS (doc ->> 'runAs') STORED,
	"enabled" boolean GENERATED ALWAYS AS (doc -> 'enabled' = 'true'::jsonb) STORED
);
--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_rule_id_notification_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."notification_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_channel_id_notification_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."notification_channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_queues" ADD CONSTRAINT "notification_queues_channel_id_notification_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."notification_channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_channels_name" ON "notification_channels" USING btree ("name");--> statement-breakpoint
CREATE INDEX "notification_deliveries_due" ON "notification_deliveries" USING btree ("channel_id","due_at") WHERE status = 'retrying';--> statement-breakpoint
CREATE INDEX "notification_deliveries_collecting" ON "notification_deliveries" USING btree ("rule_id","channel_id") WHERE collecting;--> statement-breakpoint
CREATE INDEX "notification_deliveries_status" ON "notification_deliveries" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_channel" ON "notification_deliveries" USING btree ("channel_id","status","id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_rule" ON "notification_deliveries" USING btree ("rule_id","id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_ended" ON "notification_deliveries" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_rules_name" ON "notification_rules" USING btree ("name");--> statement-breakpoint
CREATE INDEX "notification_rules_run_as" ON "notification_rules" USING btree ("run_as");