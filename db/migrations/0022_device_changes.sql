CREATE TABLE "device_changes" (
	"device" text collate "C" PRIMARY KEY NOT NULL,
	"holder" text collate "C" NOT NULL,
	"until" timestamp with time zone NOT NULL
);
