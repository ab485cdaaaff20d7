-- What version 12 of the schema held: filters of the formats 1 to 4, as the version before left them.
CREATE TABLE `bloom_bits_empty_v1` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
CREATE TABLE `bloom_bits_grown_v1` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (24,9024791441309696);
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (25,264192);
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (26,2305843009213956096);
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (27,262144);
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (28,2305843009213693952);
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (30,70368744177664);
INSERT INTO `bloom_bits_grown_v1` (`slot`, `bits`) VALUES (31,2305843009213956096);
CREATE TABLE `bloom_bits_grown_v2` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (32,9007199254757378);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (35,71468255805440);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (36,2207881625600);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (88,2199023257601);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (89,18014398509514752);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (91,1125899906842624);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (92,131072);
INSERT INTO `bloom_bits_grown_v2` (`slot`, `bits`) VALUES (94,268435456);
CREATE TABLE `bloom_bits_merged_v1` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (16,9024791978180672);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (17,264192);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (18,2305843009213956096);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (19,262144);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (20,2305843009213693952);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (21,2305843009213693952);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (22,70368744177664);
INSERT INTO `bloom_bits_merged_v1` (`slot`, `bits`) VALUES (23,2305843009213956096);
CREATE TABLE `bloom_bits_other_v1` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (8,9007199254757378);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (11,71468255805440);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (12,2207881625600);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (16,9026991001438273);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (17,18014398509778944);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (18,2305843009213956096);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (19,1125899907104768);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (20,2305843009213825024);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (21,2305843009213693952);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (22,70369012613120);
INSERT INTO `bloom_bits_other_v1` (`slot`, `bits`) VALUES (23,2305843009213956096);
CREATE TABLE `bloom_bits_retained_v1` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
CREATE TABLE `bloom_bits_simple_v1` (
  `slot` bigint unsigned NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
  `bits` bigint unsigned NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
  PRIMARY KEY (`slot`)
) ENGINE=InnoDB COMMENT='Slotbloom: the bit array of one generation';
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (8,9007199254740994);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (11,1099511627776);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (12,2207881625600);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (24,9024791441309696);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (25,264192);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (26,2305843009213956096);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (27,262144);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (28,2305843009213693952);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (30,70368744177664);
INSERT INTO `bloom_bits_simple_v1` (`slot`, `bits`) VALUES (31,2305843009213956096);
CREATE TABLE `bloom_filter` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `state` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'RESERVING, IMPORTING: not to be opened yet; ACTIVE; CLEARING, DROPPING: anyone may finish that',
  `format_version` int unsigned NOT NULL COMMENT 'of everything that is stored for this filter',
  `key_type` varchar(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `hash` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `seed` bigint NOT NULL COMMENT 'of the hash function',
  `layout` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `write_mode` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'always DEFERRED; only earlier versions read it',
  `growable` tinyint(1) NOT NULL,
  `capacity` bigint unsigned NOT NULL COMMENT 'keys that the generations that answer are made for',
  `false_positive_rate` double NOT NULL COMMENT 'target of the whole filter at capacity',
  `lease_millis` int unsigned NOT NULL COMMENT 'how long a process may answer from memory after it last heard of the others',
  `retention_seconds` int unsigned NOT NULL COMMENT 'how long folded journal rows are kept',
  `epoch` bigint unsigned NOT NULL COMMENT 'rises with each clear',
  `last_seq` bigint unsigned NOT NULL COMMENT 'newest journal entry; whoever advances it holds this row until commit',
  `last_token` bigint NOT NULL COMMENT 'token of that entry',
  `keys_added` bigint unsigned NOT NULL COMMENT 'keys that were answered new since the last clear',
  `durable_ticks` bigint unsigned NOT NULL DEFAULT '0' COMMENT 'changed to force a durable commit on servers where visible is not yet durable',
  `created_at` datetime(3) NOT NULL COMMENT 'UTC',
  `generation_token` bigint NOT NULL DEFAULT '0' COMMENT 'token of the journal entry that began the newest generation; 0 if there was never more than one',
  `on_full` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'DEGRADE' COMMENT 'GROW, REFUSE or DEGRADE: what is done with new keys beyond the capacity',
  `retain_hashes` tinyint(1) NOT NULL DEFAULT '0' COMMENT 'whether the hashes of all keys are kept, in bloom_hash_block once they leave the journal',
  `imported` tinyint(1) NOT NULL DEFAULT '0' COMMENT 'whether its first keys came with an export, and never were in its journal',
  PRIMARY KEY (`id`),
  UNIQUE KEY `name` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=7 COMMENT='Slotbloom: one row a filter, and the lock that orders its writers';
INSERT INTO `bloom_filter` (`id`, `name`, `state`, `format_version`, `key_type`, `hash`, `seed`, `layout`, `write_mode`, `growable`, `capacity`, `false_positive_rate`, `lease_millis`, `retention_seconds`, `epoch`, `last_seq`, `last_token`, `keys_added`, `durable_ticks`, `created_at`, `generation_token`, `on_full`, `retain_hashes`, `imported`) VALUES (1,'simple','ACTIVE',1,'text','xxh3_64',0,'BLOCKED','DEFERRED',1,100,0.001,2000,7200,1,2,-7209176798730115737,5,0,'2026-11-24 06:22:03.430',0,'GROW',0,0);
INSERT INTO `bloom_filter` (`id`, `name`, `state`, `format_version`, `key_type`, `hash`, `seed`, `layout`, `write_mode`, `growable`, `capacity`, `false_positive_rate`, `lease_millis`, `retention_seconds`, `epoch`, `last_seq`, `last_token`, `keys_added`, `durable_ticks`, `created_at`, `generation_token`, `on_full`, `retain_hashes`, `imported`) VALUES (2,'grown','ACTIVE',2,'text','xxh3_64',0,'BLOCKED','DEFERRED',1,300,0.001,2000,7200,1,3,-5687044613498148935,4,0,'2026-11-24 06:22:23.521',2613971031850488267,'GROW',0,0);
INSERT INTO `bloom_filter` (`id`, `name`, `state`, `format_version`, `key_type`, `hash`, `seed`, `layout`, `write_mode`, `growable`, `capacity`, `false_positive_rate`, `lease_millis`, `retention_seconds`, `epoch`, `last_seq`, `last_token`, `keys_added`, `durable_ticks`, `created_at`, `generation_token`, `on_full`, `retain_hashes`, `imported`) VALUES (3,'retained','ACTIVE',3,'text','xxh3_64',0,'BLOCKED','DEFERRED',1,100,0.001,2000,7200,1,3,8711828897082650301,4,0,'2026-11-24 06:22:35.070',0,'GROW',1,0);
INSERT INTO `bloom_filter` (`id`, `name`, `state`, `format_version`, `key_type`, `hash`, `seed`, `layout`, `write_mode`, `growable`, `capacity`, `false_positive_rate`, `lease_millis`, `retention_seconds`, `epoch`, `last_seq`, `last_token`, `keys_added`, `durable_ticks`, `created_at`, `generation_token`, `on_full`, `retain_hashes`, `imported`) VALUES (4,'merged','ACTIVE',1,'text','xxh3_64',0,'BLOCKED','DEFERRED',0,100,0.001,2000,7200,1,1,-7923673573946557043,2,0,'2026-11-24 06:22:43.811',0,'DEGRADE',0,0);
INSERT INTO `bloom_filter` (`id`, `name`, `state`, `format_version`, `key_type`, `hash`, `seed`, `layout`, `write_mode`, `growable`, `capacity`, `false_positive_rate`, `lease_millis`, `retention_seconds`, `epoch`, `last_seq`, `last_token`, `keys_added`, `durable_ticks`, `created_at`, `generation_token`, `on_full`, `retain_hashes`, `imported`) VALUES (5,'other','ACTIVE',4,'text','xxh3_64',0,'BLOCKED','DEFERRED',0,100,0.001,2000,7200,1,2,1559216524040896652,4,0,'2026-11-24 06:22:49.726',0,'DEGRADE',0,0);
INSERT INTO `bloom_filter` (`id`, `name`, `state`, `format_version`, `key_type`, `hash`, `seed`, `layout`, `write_mode`, `growable`, `capacity`, `false_positive_rate`, `lease_millis`, `retention_seconds`, `epoch`, `last_seq`, `last_token`, `keys_added`, `durable_ticks`, `created_at`, `generation_token`, `on_full`, `retain_hashes`, `imported`) VALUES (6,'empty','ACTIVE',1,'text','xxh3_64',0,'BLOCKED','DEFERRED',1,100,0.001,2000,7200,1,0,1533381673707724533,0,0,'2026-11-24 06:23:08.606',0,'GROW',0,0);
CREATE TABLE `bloom_fold` (
  `filter_id` bigint unsigned NOT NULL,
  `folded_seq` bigint unsigned NOT NULL COMMENT 'entries up to this one are in the slot tables',
  `epoch` bigint unsigned NOT NULL,
  `folded_at` datetime(3) NOT NULL COMMENT 'UTC',
  `merge_token` bigint NOT NULL DEFAULT '0' COMMENT 'random, of the transaction that last merged hashes of the journal into bloom_hash_block; 0 if none did',
  PRIMARY KEY (`filter_id`)
) ENGINE=InnoDB COMMENT='Slotbloom: how far the journal is folded into the slots; locked by whoever folds';
INSERT INTO `bloom_fold` (`filter_id`, `folded_seq`, `epoch`, `folded_at`, `merge_token`) VALUES (1,1,1,'2026-11-24 06:22:16.748',0);
INSERT INTO `bloom_fold` (`filter_id`, `folded_seq`, `epoch`, `folded_at`, `merge_token`) VALUES (2,3,1,'2026-11-24 06:22:31.900',0);
INSERT INTO `bloom_fold` (`filter_id`, `folded_seq`, `epoch`, `folded_at`, `merge_token`) VALUES (3,0,1,'2026-11-24 06:22:35.077',0);
INSERT INTO `bloom_fold` (`filter_id`, `folded_seq`, `epoch`, `folded_at`, `merge_token`) VALUES (4,1,1,'2026-11-24 06:23:04.015',0);
INSERT INTO `bloom_fold` (`filter_id`, `folded_seq`, `epoch`, `folded_at`, `merge_token`) VALUES (5,2,1,'2026-11-24 06:23:04.892',0);
INSERT INTO `bloom_fold` (`filter_id`, `folded_seq`, `epoch`, `folded_at`, `merge_token`) VALUES (6,0,1,'2026-11-24 06:23:08.616',0);
CREATE TABLE `bloom_generation` (
  `filter_id` bigint unsigned NOT NULL,
  `generation` int unsigned NOT NULL,
  `state` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CREATING: has a number; ACTIVE: answers; FILLING: is to replace the active ones; RETIRED: was replaced; ABORTED: was given up; DROPPED: was either, and its table is gone',
  `capacity` bigint unsigned NOT NULL COMMENT 'keys',
  `false_positive_rate` double NOT NULL COMMENT 'that this generation was sized for',
  `bits` bigint unsigned NOT NULL COMMENT 'm',
  `hashes` int unsigned NOT NULL COMMENT 'k',
  `slot_table` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `created_at` datetime(3) NOT NULL COMMENT 'UTC',
  `since_seq` bigint unsigned NOT NULL DEFAULT '0' COMMENT 'journal entry that began it; keys of later entries go to it; 0 for the first',
  `since_token` bigint NOT NULL DEFAULT '0' COMMENT 'token of that entry',
  `state_token` bigint NOT NULL DEFAULT '0' COMMENT 'token of the journal entry, or of the clear, that gave the newest generation its state',
  `cutover_seq` bigint unsigned NOT NULL DEFAULT '0' COMMENT 'journal entry with which it replaced the generations before it; 0 if it did not',
  PRIMARY KEY (`filter_id`,`generation`)
) ENGINE=InnoDB COMMENT='Slotbloom: one row a bit array';
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (1,1,'ACTIVE',100,0.0005,2048,6,'bloom_bits_simple_v1','2026-11-24 06:22:03.436',0,0,0,0);
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (2,1,'ACTIVE',100,0.0005,2048,6,'bloom_bits_grown_v1','2026-11-24 06:22:23.600',0,0,0,0);
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (2,2,'ACTIVE',298,0.00025,6144,8,'bloom_bits_grown_v2','2026-11-24 06:22:27.585',2,2613971031850488267,2613971031850488267,0);
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (3,1,'ACTIVE',100,0.0005,2048,6,'bloom_bits_retained_v1','2026-11-24 06:22:35.079',0,0,0,0);
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (4,1,'ACTIVE',100,0.001,1536,8,'bloom_bits_merged_v1','2026-11-24 06:22:43.826',0,0,0,0);
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (5,1,'ACTIVE',100,0.001,1536,8,'bloom_bits_other_v1','2026-11-24 06:22:49.742',0,0,0,0);
INSERT INTO `bloom_generation` (`filter_id`, `generation`, `state`, `capacity`, `false_positive_rate`, `bits`, `hashes`, `slot_table`, `created_at`, `since_seq`, `since_token`, `state_token`, `cutover_seq`) VALUES (6,1,'ACTIVE',100,0.0005,2048,6,'bloom_bits_empty_v1','2026-11-24 06:23:08.618',0,0,0,0);
CREATE TABLE `bloom_hash_block` (
  `filter_id` bigint unsigned NOT NULL,
  `first_hash` bigint NOT NULL COMMENT 'the block covers the hashes from here to the next block, in signed order; the first one begins at the lowest number',
  `hashes` mediumblob NOT NULL COMMENT 'distinct 64-bit hashes in ascending order, big-endian, 1 to 8192',
  PRIMARY KEY (`filter_id`,`first_hash`)
) ENGINE=InnoDB COMMENT='Slotbloom: hashes that trimming took out of the journals of filters that retain them';
CREATE TABLE `bloom_journal` (
  `filter_id` bigint unsigned NOT NULL,
  `seq` bigint unsigned NOT NULL COMMENT 'without gaps, in the order of the commits',
  `token` bigint NOT NULL COMMENT 'random',
  `previous_token` bigint NOT NULL COMMENT 'of the entry before: lost or rewritten history shows',
  `kind` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ADD: new keys; SEEN: keys that were answered seen, where hashes are retained; FILL: keys for the generation that is to replace the others; MERGE: bits of another filter; GROW, REPLACE, CUTOVER, ABORT: what becomes of generations',
  `payload` mediumblob NOT NULL COMMENT 'ADD, SEEN, FILL: 64-bit hashes of keys, big-endian, at most 8192; MERGE: a generation and its bits; GROW, REPLACE: the generation that begins',
  `created_at` datetime(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (`filter_id`,`seq`)
) ENGINE=InnoDB COMMENT='Slotbloom: the truth; the slot tables are its checkpoint';
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (1,1,2220020282844284724,3803112629942888185,'ADD',0xE6C632B61E964E1F575A0B1C44D8843F8C40219A46B9F81B,'2026-11-24 06:22:07.525');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (1,2,-7209176798730115737,2220020282844284724,'ADD',0x45F80274C9C7A7CAE5E72E5E3BEC4A78,'2026-11-24 06:22:20.715');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (2,1,6262562887961860630,1453362508636749093,'ADD',0xE6C632B61E964E1F575A0B1C44D8843F,'2026-11-24 06:22:25.478');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (2,2,2613971031850488267,6262562887961860630,'GROW',0x00000002000000000000012A3F30624DD2F1A9FC000000000000180000000008,'2026-11-24 06:22:27.621');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (2,3,-5687044613498148935,2613971031850488267,'ADD',0x8C40219A46B9F81B45F80274C9C7A7CA,'2026-11-24 06:22:29.949');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (3,1,-7112135912269155600,-6625907435201834555,'ADD',0xE6C632B61E964E1F575A0B1C44D8843F8C40219A46B9F81B,'2026-11-24 06:22:38.224');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (3,2,8989679396320180194,-7112135912269155600,'ADD',0x45F80274C9C7A7CA,'2026-11-24 06:22:40.457');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (3,3,8711828897082650301,8989679396320180194,'SEEN',0xE6C632B61E964E1F,'2026-11-24 06:22:40.457');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (4,1,-7923673573946557043,1731182527143628222,'ADD',0xE6C632B61E964E1F575A0B1C44D8843F,'2026-11-24 06:22:47.329');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (5,1,-4811856014383162399,-925287498896695182,'ADD',0x8C40219A46B9F81B45F80274C9C7A7CA,'2026-11-24 06:22:54.823');
INSERT INTO `bloom_journal` (`filter_id`, `seq`, `token`, `previous_token`, `kind`, `payload`, `created_at`) VALUES (5,2,1559216524040896652,-4811856014383162399,'MERGE',0x00000001000000000000000000000000000006000000000800000000000000100000000800201000200800400000000000040800200000000004000000000000000400002000000000000000200000000000000000004000000000002000000000040000,'2026-11-24 06:23:04.714');
CREATE TABLE `bloom_name` (
  `name` varchar(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `next_generation` int unsigned NOT NULL COMMENT 'number of the next slot table; outlives the filter, so that no table name is used twice',
  PRIMARY KEY (`name`)
) ENGINE=InnoDB COMMENT='Slotbloom: every filter name ever used';
INSERT INTO `bloom_name` (`name`, `next_generation`) VALUES ('empty',2);
INSERT INTO `bloom_name` (`name`, `next_generation`) VALUES ('grown',3);
INSERT INTO `bloom_name` (`name`, `next_generation`) VALUES ('merged',2);
INSERT INTO `bloom_name` (`name`, `next_generation`) VALUES ('other',2);
INSERT INTO `bloom_name` (`name`, `next_generation`) VALUES ('retained',2);
INSERT INTO `bloom_name` (`name`, `next_generation`) VALUES ('simple',2);
CREATE TABLE `bloom_replacement` (
  `filter_id` bigint unsigned NOT NULL,
  `generation` int unsigned NOT NULL COMMENT 'that is being filled',
  `capacity` bigint unsigned NOT NULL COMMENT 'keys, once it has replaced the others',
  `capacity_before` bigint unsigned NOT NULL COMMENT 'keys that the generations that answer meanwhile are made for',
  `keys_before` bigint unsigned NOT NULL COMMENT 'keys that were added before it began, which the source has to bring',
  `owner` bigint NOT NULL COMMENT 'random, of the process that replays; another one that takes over writes its own',
  `source` text NOT NULL COMMENT 'where the keys come from',
  `phase` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'REPLAYING or VERIFYING',
  `keys_read` bigint unsigned NOT NULL COMMENT 'keys of the source that this phase is through with',
  `begun_at` datetime(3) NOT NULL COMMENT 'UTC',
  `updated_at` datetime(3) NOT NULL COMMENT 'UTC',
  PRIMARY KEY (`filter_id`)
) ENGINE=InnoDB COMMENT='Slotbloom: one row a filter that is being replaced by a larger one';
CREATE TABLE `bloom_schema_history` (
  `installed_rank` int NOT NULL,
  `version` varchar(50) DEFAULT NULL,
  `description` varchar(200) NOT NULL,
  `type` varchar(20) NOT NULL,
  `script` varchar(1000) NOT NULL,
  `checksum` int DEFAULT NULL,
  `installed_by` varchar(100) NOT NULL,
  `installed_on` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  `execution_time` int NOT NULL,
  `success` tinyint(1) NOT NULL,
  PRIMARY KEY (`installed_rank`),
  KEY `bloom_schema_history_s_idx` (`success`)
) ENGINE=InnoDB;
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (1,'1','catalog and journal','SQL','V1__catalog_and_journal.sql',-848089997,'root','2026-11-24 06:21:51',68,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (2,'2','growth','SQL','V2__growth.sql',1783279404,'root','2026-11-24 06:21:51',93,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (3,'3','on full','SQL','V3__on_full.sql',2024236855,'root','2026-11-24 06:21:51',38,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (4,'4','replacing growth','SQL','V4__replacing_growth.sql',1962716685,'root','2026-11-24 06:21:51',70,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (5,'5','retained hashes','SQL','V5__retained_hashes.sql',-1983753969,'root','2026-11-24 06:21:51',36,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (6,'6','compaction fence','SQL','V6__compaction_fence.sql',-272690475,'root','2026-11-24 06:21:51',62,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (7,'7','imported filters','SQL','V7__imported_filters.sql',2093183124,'root','2026-11-24 06:21:52',7,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (8,'8','status views','SQL','V8__status_views.sql',-1089971913,'root','2026-11-24 06:21:52',18,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (9,'9','usage','SQL','V9__usage.sql',-250522691,'root','2026-11-24 06:21:52',5,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (10,'10','no slot history','SQL','V10__no_slot_history.sql',-1605155690,'root','2026-11-24 06:21:52',23,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (11,'11','capacity that answers','SQL','V11__capacity_that_answers.sql',666964202,'root','2026-11-24 06:21:52',31,1);
INSERT INTO `bloom_schema_history` (`installed_rank`, `version`, `description`, `type`, `script`, `checksum`, `installed_by`, `installed_on`, `execution_time`, `success`) VALUES (12,'12','no write mode','SQL','V12__no_write_mode.sql',-1355965643,'root','2026-11-24 06:21:52',60,1);
CREATE TABLE `bloom_usage` (
  `filter_id` bigint unsigned NOT NULL,
  `epoch` bigint unsigned NOT NULL COMMENT 'of the filter when it was told; rises with each clear',
  `day` date NOT NULL COMMENT 'UTC, when it was told',
  `negatives` bigint unsigned NOT NULL COMMENT 'questions that were answered: certainly not there',
  `positives` bigint unsigned NOT NULL COMMENT 'questions that were answered: there, but for the false positive rate',
  `new_keys` bigint unsigned NOT NULL COMMENT 'adds that were answered: new',
  `seen_keys` bigint unsigned NOT NULL COMMENT 'adds that were answered: seen, but for the false positive rate',
  `false_positives` bigint unsigned NOT NULL COMMENT 'keys that were taken for members, and that callers reported not to be',
  PRIMARY KEY (`filter_id`,`epoch`,`day`)
) ENGINE=InnoDB COMMENT='Slotbloom: how filters are used, one row a day';
INSERT INTO `bloom_usage` (`filter_id`, `epoch`, `day`, `negatives`, `positives`, `new_keys`, `seen_keys`, `false_positives`) VALUES (1,1,'2026-11-24',0,0,5,0,0);
INSERT INTO `bloom_usage` (`filter_id`, `epoch`, `day`, `negatives`, `positives`, `new_keys`, `seen_keys`, `false_positives`) VALUES (2,1,'2026-11-24',0,0,4,0,0);
INSERT INTO `bloom_usage` (`filter_id`, `epoch`, `day`, `negatives`, `positives`, `new_keys`, `seen_keys`, `false_positives`) VALUES (3,1,'2026-11-24',0,0,4,1,0);
INSERT INTO `bloom_usage` (`filter_id`, `epoch`, `day`, `negatives`, `positives`, `new_keys`, `seen_keys`, `false_positives`) VALUES (4,1,'2026-11-24',0,0,2,0,0);
INSERT INTO `bloom_usage` (`filter_id`, `epoch`, `day`, `negatives`, `positives`, `new_keys`, `seen_keys`, `false_positives`) VALUES (5,1,'2026-11-24',0,0,2,0,0);
