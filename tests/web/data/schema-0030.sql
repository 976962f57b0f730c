BEGIN TRANSACTION;
CREATE TABLE addresses (
	digest VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	channel VARCHAR NOT NULL, 
	sealed TEXT NOT NULL, 
	made FLOAT NOT NULL, 
	failed INTEGER NOT NULL, 
	stop VARCHAR NOT NULL, 
	confirmed BOOLEAN NOT NULL, 
	tries INTEGER NOT NULL, 
	CONSTRAINT pk_addresses PRIMARY KEY (digest), 
	CONSTRAINT uq_addresses_stop UNIQUE (stop), 
	CONSTRAINT fk_addresses_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "addresses" VALUES('123','7ZOj6CHRLU1I1vVRySY0cw','124','125',1700000126.0,1,'128',1,1);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0030');
CREATE TABLE answers (
	"key" VARCHAR NOT NULL, 
	request VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	status INTEGER NOT NULL, 
	headers TEXT NOT NULL, 
	body TEXT NOT NULL, 
	cookie VARCHAR, 
	CONSTRAINT pk_answers PRIMARY KEY ("key")
);
INSERT INTO "answers" VALUES('100','101','7ZOj6CHRLU1I1vVRySY0cw',1700000102.0,1,'104','105','106');
CREATE TABLE calendars (
	person VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	daily BOOLEAN NOT NULL, 
	CONSTRAINT pk_calendars PRIMARY KEY (person), 
	CONSTRAINT uq_calendars_link UNIQUE (link), 
	CONSTRAINT fk_calendars_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "calendars" VALUES('7ZOj6CHRLU1I1vVRySY0cw','131',1);
CREATE TABLE calls (
	id VARCHAR NOT NULL, 
	caller VARCHAR NOT NULL, 
	called VARCHAR NOT NULL, 
	token VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_calls PRIMARY KEY (id), 
	CONSTRAINT fk_calls_caller FOREIGN KEY(caller) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_calls_called FOREIGN KEY(called) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_calls_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "calls" VALUES('133','7ZOj6CHRLU1I1vVRySY0cw','2TvQILxjIkeuzjlV1I-BQQ','xqY8r1IslzywLkyP',1700000134.0);
CREATE TABLE circle_days (
	circle VARCHAR NOT NULL, 
	day VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	CONSTRAINT pk_circle_days PRIMARY KEY (circle, day), 
	CONSTRAINT fk_circle_days_circle FOREIGN KEY(circle) REFERENCES circles (id) ON DELETE CASCADE
);
INSERT INTO "circle_days" VALUES('107','135','136');
CREATE TABLE circle_members (
	id VARCHAR NOT NULL, 
	circle VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	place INTEGER NOT NULL, 
	since FLOAT NOT NULL, 
	CONSTRAINT pk_circle_members PRIMARY KEY (id), 
	CONSTRAINT fk_circle_members_circle FOREIGN KEY(circle) REFERENCES circles (id) ON DELETE CASCADE, 
	CONSTRAINT fk_circle_members_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "circle_members" VALUES('137','107','7ZOj6CHRLU1I1vVRySY0cw',0,1700000139.0);
CREATE TABLE circles (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	CONSTRAINT pk_circles PRIMARY KEY (id), 
	CONSTRAINT uq_circles_link UNIQUE (link)
);
INSERT INTO "circles" VALUES('107','108','109',1700000110.0);
CREATE TABLE clock (
	number INTEGER NOT NULL, 
	seen FLOAT NOT NULL, 
	stepped FLOAT, 
	CONSTRAINT pk_clock PRIMARY KEY (number)
);
INSERT INTO "clock" VALUES(1,1.79589047219994664191e+09,NULL);
CREATE TABLE codes (
	code VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	until FLOAT NOT NULL, 
	CONSTRAINT pk_codes PRIMARY KEY (code), 
	CONSTRAINT fk_codes_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "codes" VALUES('140','7ZOj6CHRLU1I1vVRySY0cw',1700000141.0);
CREATE TABLE commitments (
	number INTEGER NOT NULL, 
	previous VARCHAR NOT NULL, 
	commitment VARCHAR NOT NULL, 
	link VARCHAR NOT NULL, 
	secret VARCHAR NOT NULL, 
	token VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	CONSTRAINT pk_commitments PRIMARY KEY (number), 
	CONSTRAINT uq_commitments_commitment UNIQUE (commitment)
);
INSERT INTO "commitments" VALUES(1,'0000000000000000000000000000000000000000000000000000000000000000','8adcc30b16e963bf941287aeb74d420de3a10365903c09e1a61195843e4ebbc8','2c61f6129e1456321594eb31166fa49fbf43f768a1122a219597d7b15bb3c552','1608fbfa99842518a6e390e9f301401acc9a68bdb2bd9337a76c59080204a276','xqY8r1IslzywLkyP',1.79589047454760861394e+09);
INSERT INTO "commitments" VALUES(111,'112','113','114','115','116',1700000117.0);
CREATE TABLE dailies (
	day VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	token VARCHAR, 
	begun FLOAT NOT NULL, 
	finished FLOAT, 
	rank INTEGER, 
	score INTEGER, 
	won BOOLEAN NOT NULL, 
	resigned BOOLEAN NOT NULL, 
	tried JSON NOT NULL, 
	CONSTRAINT pk_dailies PRIMARY KEY (day, game, person), 
	CONSTRAINT fk_dailies_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT uq_dailies_token UNIQUE (token)
);
INSERT INTO "dailies" VALUES('142','143','7ZOj6CHRLU1I1vVRySY0cw','xqY8r1IslzywLkyP',1700000144.0,1700000145.0,2,0,1,1,'[]');
CREATE TABLE evening_players (
	evening VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	CONSTRAINT pk_evening_players PRIMARY KEY (evening, person), 
	CONSTRAINT fk_evening_players_evening FOREIGN KEY(evening) REFERENCES evenings (id) ON DELETE CASCADE, 
	CONSTRAINT fk_evening_players_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "evening_players" VALUES('151','7ZOj6CHRLU1I1vVRySY0cw');
CREATE TABLE evenings (
	id VARCHAR NOT NULL, 
	circle VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	seats INTEGER NOT NULL, 
	deals INTEGER NOT NULL, 
	level VARCHAR NOT NULL, 
	host VARCHAR, 
	secret VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	started FLOAT, 
	groups INTEGER NOT NULL, 
	CONSTRAINT pk_evenings PRIMARY KEY (id), 
	CONSTRAINT fk_evenings_circle FOREIGN KEY(circle) REFERENCES circles (id) ON DELETE CASCADE, 
	CONSTRAINT fk_evenings_host FOREIGN KEY(host) REFERENCES people (id) ON DELETE SET NULL
);
INSERT INTO "evenings" VALUES('151','107','152',0,1,'155','7ZOj6CHRLU1I1vVRySY0cw','156',1700000157.0,1700000158.0,0);
CREATE TABLE friends (
	id VARCHAR NOT NULL, 
	pair VARCHAR NOT NULL, 
	asker VARCHAR NOT NULL, 
	asked VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_friends PRIMARY KEY (id), 
	CONSTRAINT uq_friends_pair UNIQUE (pair), 
	CONSTRAINT fk_friends_asker FOREIGN KEY(asker) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_friends_asked FOREIGN KEY(asked) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "friends" VALUES('160','161','7ZOj6CHRLU1I1vVRySY0cw','2TvQILxjIkeuzjlV1I-BQQ','162','163',1700000164.0);
CREATE TABLE hidden (
	person VARCHAR NOT NULL, 
	CONSTRAINT pk_hidden PRIMARY KEY (person), 
	CONSTRAINT fk_hidden_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "hidden" VALUES('7ZOj6CHRLU1I1vVRySY0cw');
CREATE TABLE hinted (
	token VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	CONSTRAINT pk_hinted PRIMARY KEY (token, seat), 
	CONSTRAINT fk_hinted_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "hinted" VALUES('xqY8r1IslzywLkyP',165);
CREATE TABLE letters (
	"key" VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	address VARCHAR, 
	token VARCHAR, 
	ply INTEGER NOT NULL, 
	about VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	at FLOAT, 
	tries INTEGER NOT NULL, 
	CONSTRAINT pk_letters PRIMARY KEY ("key"), 
	CONSTRAINT fk_letters_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_letters_address FOREIGN KEY(address) REFERENCES addresses (digest) ON DELETE CASCADE, 
	CONSTRAINT fk_letters_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "letters" VALUES('231','232','7ZOj6CHRLU1I1vVRySY0cw','123','xqY8r1IslzywLkyP',2,'234',1700000235.0,1700000236.0,0);
CREATE TABLE listed (
	person VARCHAR NOT NULL, 
	CONSTRAINT pk_listed PRIMARY KEY (person), 
	CONSTRAINT fk_listed_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "listed" VALUES('7ZOj6CHRLU1I1vVRySY0cw');
CREATE TABLE "log" (
	token VARCHAR NOT NULL, 
	ply INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	payload TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	person VARCHAR, 
	CONSTRAINT pk_log PRIMARY KEY (token, ply), 
	CONSTRAINT fk_log_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "log" VALUES('xqY8r1IslzywLkyP',0,'pace',-1,'{"pace":"slow"}',1.79589047451200366015e+09,NULL);
INSERT INTO "log" VALUES('xqY8r1IslzywLkyP',1,'say',0,'{"text":"Hello"}',1.79589047499057245251e+09,'7ZOj6CHRLU1I1vVRySY0cw');
INSERT INTO "log" VALUES('xqY8r1IslzywLkyP',2,'resign',0,'{"level":"club"}',1.79589047503503155709e+09,NULL);
CREATE TABLE mutes (
	id VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	muted VARCHAR NOT NULL, 
	CONSTRAINT pk_mutes PRIMARY KEY (id), 
	CONSTRAINT fk_mutes_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_mutes_muted FOREIGN KEY(muted) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "mutes" VALUES('166','7ZOj6CHRLU1I1vVRySY0cw','2TvQILxjIkeuzjlV1I-BQQ');
CREATE TABLE notices (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at FLOAT NOT NULL, 
	sender VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	about VARCHAR NOT NULL
);
CREATE TABLE passkeys (
	id VARCHAR NOT NULL, 
	credential VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	handle VARCHAR NOT NULL, 
	public_key TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	name VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	used FLOAT, 
	CONSTRAINT pk_passkeys PRIMARY KEY (id), 
	CONSTRAINT fk_passkeys_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT uq_passkeys_credential UNIQUE (credential)
);
INSERT INTO "passkeys" VALUES('167','168','7ZOj6CHRLU1I1vVRySY0cw','169','170',0,'172',1700000173.0,1700000174.0);
CREATE TABLE people (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id)
);
INSERT INTO "people" VALUES('7ZOj6CHRLU1I1vVRySY0cw','Anna',1.79589047217266201974e+09);
INSERT INTO "people" VALUES('2TvQILxjIkeuzjlV1I-BQQ','Ben',1.79589047222633457182e+09);
CREATE TABLE premoves (
	token VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	person VARCHAR NOT NULL, 
	moves JSON NOT NULL, 
	made INTEGER NOT NULL, 
	version VARCHAR NOT NULL, 
	since FLOAT NOT NULL, 
	due FLOAT NOT NULL, 
	CONSTRAINT pk_premoves PRIMARY KEY (token, seat), 
	CONSTRAINT fk_premoves_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT fk_premoves_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "premoves" VALUES('xqY8r1IslzywLkyP',175,'7ZOj6CHRLU1I1vVRySY0cw','[]',0,'178',1700000179.0,1700000180.0);
CREATE TABLE profiles (
	person VARCHAR NOT NULL, 
	motif VARCHAR NOT NULL, 
	color INTEGER NOT NULL, 
	games INTEGER NOT NULL, 
	curves INTEGER NOT NULL, 
	badges INTEGER NOT NULL, 
	looks VARCHAR NOT NULL, 
	CONSTRAINT pk_profiles PRIMARY KEY (person), 
	CONSTRAINT fk_profiles_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "profiles" VALUES('7ZOj6CHRLU1I1vVRySY0cw','181',2,0,1,2,'186');
CREATE TABLE puzzle_tries (
	person VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	"right" BOOLEAN NOT NULL, 
	points FLOAT NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_puzzle_tries PRIMARY KEY (person, game, number), 
	CONSTRAINT fk_puzzle_tries_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "puzzle_tries" VALUES('7ZOj6CHRLU1I1vVRySY0cw','187',188,1,1700000190.0,1700000191.0);
CREATE TABLE ratings (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	token VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	points FLOAT NOT NULL, 
	spread FLOAT NOT NULL, 
	games INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT fk_ratings_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "ratings" VALUES(192,'193','7ZOj6CHRLU1I1vVRySY0cw','194',1700000195.0,1700000196.0,2,1700000198.0);
CREATE TABLE records (
	token VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	line TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (token)
);
INSERT INTO "records" VALUES('118','7ZOj6CHRLU1I1vVRySY0cw','119',1700000120.0);
CREATE TABLE recovery_codes (
	digest VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	made FLOAT NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (digest), 
	CONSTRAINT fk_recovery_codes_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "recovery_codes" VALUES('199','7ZOj6CHRLU1I1vVRySY0cw',1700000200.0);
CREATE TABLE reports (
	id VARCHAR NOT NULL, 
	reporter VARCHAR NOT NULL, 
	reported VARCHAR NOT NULL, 
	token VARCHAR NOT NULL, 
	ply INTEGER NOT NULL, 
	why TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	handled FLOAT, 
	CONSTRAINT pk_reports PRIMARY KEY (id), 
	CONSTRAINT fk_reports_reporter FOREIGN KEY(reporter) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reports_reported FOREIGN KEY(reported) REFERENCES people (id) ON DELETE CASCADE, 
	CONSTRAINT fk_reports_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "reports" VALUES('201','7ZOj6CHRLU1I1vVRySY0cw','2TvQILxjIkeuzjlV1I-BQQ','xqY8r1IslzywLkyP',1,'203',1700000204.0,1700000205.0);
CREATE TABLE results (
	token VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	person VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	seats INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	score INTEGER, 
	won BOOLEAN NOT NULL, 
	counts BOOLEAN NOT NULL, 
	undos INTEGER NOT NULL, 
	moves INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_results PRIMARY KEY (token, seat), 
	CONSTRAINT fk_results_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "results" VALUES('xqY8r1IslzywLkyP',0,'7ZOj6CHRLU1I1vVRySY0cw','double-down',2,2,NULL,0,1,0,0,'resigned',1.79589047503503155709e+09);
CREATE TABLE review_jobs (
	number INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	line TEXT NOT NULL, 
	token VARCHAR, 
	record VARCHAR, 
	process VARCHAR DEFAULT '' NOT NULL, 
	heard FLOAT DEFAULT 0 NOT NULL, 
	done INTEGER DEFAULT 0 NOT NULL, 
	total INTEGER DEFAULT 0 NOT NULL, 
	problem TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_review_jobs PRIMARY KEY (number), 
	CONSTRAINT fk_review_jobs_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT fk_review_jobs_record FOREIGN KEY(record) REFERENCES records (token) ON DELETE CASCADE, 
	CONSTRAINT uq_review_jobs_key UNIQUE ("key")
);
INSERT INTO "review_jobs" VALUES(206,'207','7ZOj6CHRLU1I1vVRySY0cw','208','xqY8r1IslzywLkyP','118','',0.0,0,0,'');
CREATE TABLE reviews (
	"key" VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	iterations INTEGER NOT NULL, 
	token VARCHAR, 
	record VARCHAR, 
	at FLOAT NOT NULL, 
	review TEXT NOT NULL, 
	CONSTRAINT pk_reviews PRIMARY KEY ("key"), 
	CONSTRAINT fk_reviews_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT fk_reviews_record FOREIGN KEY(record) REFERENCES records (token) ON DELETE CASCADE
);
INSERT INTO "reviews" VALUES('209',0,1,'xqY8r1IslzywLkyP','118',1700000212.0,'213');
CREATE TABLE sanctions (
	person VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	until FLOAT, 
	seen BOOLEAN NOT NULL, 
	appeal TEXT NOT NULL, 
	CONSTRAINT pk_sanctions PRIMARY KEY (person, kind), 
	CONSTRAINT fk_sanctions_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "sanctions" VALUES('7ZOj6CHRLU1I1vVRySY0cw','214','215',1700000216.0,1700000217.0,1,'219');
CREATE TABLE seats (
	token VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	person VARCHAR, 
	bot VARCHAR NOT NULL, 
	resigned BOOLEAN NOT NULL, 
	CONSTRAINT pk_seats PRIMARY KEY (token, seat), 
	CONSTRAINT fk_seats_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "seats" VALUES('xqY8r1IslzywLkyP',0,'Anna','7ZOj6CHRLU1I1vVRySY0cw','club',1);
INSERT INTO "seats" VALUES('xqY8r1IslzywLkyP',1,'Ada',NULL,'club',0);
CREATE TABLE secrets (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	CONSTRAINT pk_secrets PRIMARY KEY (name)
);
INSERT INTO "secrets" VALUES('fair deals','1701a83f7f4c17af7475032a08d8dee533346a81012a7975d103020a5a9d8006',1.79589047167844247814e+09);
INSERT INTO "secrets" VALUES('daily deals','fef39a292eb368d3cb459c510125a06e016ceac196753395a396266cb1daca43',1.79589047173172497752e+09);
CREATE TABLE sessions (
	id VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	device VARCHAR NOT NULL, 
	begun FLOAT NOT NULL, 
	seen FLOAT NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "sessions" VALUES('eviZTOXy-eYpWy5GciyLiA','7ZOj6CHRLU1I1vVRySY0cw','testclient',1.79589047218268299099e+09,1.79589047503253197669e+09);
INSERT INTO "sessions" VALUES('QOjd1b4sEUxVZ1TBsfc28w','2TvQILxjIkeuzjlV1I-BQQ','testclient',1.79589047224414539334e+09,1.79589047224414539334e+09);
CREATE TABLE shares (
	id VARCHAR NOT NULL, 
	token VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_shares PRIMARY KEY (id), 
	CONSTRAINT fk_shares_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE, 
	CONSTRAINT uq_shares_token UNIQUE (token)
);
INSERT INTO "shares" VALUES('220','xqY8r1IslzywLkyP',1700000221.0);
CREATE TABLE tables (
	token VARCHAR NOT NULL, 
	invite VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	rules INTEGER NOT NULL, 
	options JSON NOT NULL, 
	seed VARCHAR NOT NULL, 
	seats JSON NOT NULL, 
	host VARCHAR, 
	public BOOLEAN NOT NULL, 
	"before" VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	changed FLOAT NOT NULL, 
	status VARCHAR NOT NULL, 
	turn INTEGER, daily VARCHAR DEFAULT '' NOT NULL, fair JSON, rewritten INTEGER DEFAULT 0 NOT NULL, due FLOAT, circle VARCHAR, evening VARCHAR, deals_left INTEGER DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_tables PRIMARY KEY (token), 
	CONSTRAINT uq_tables_invite UNIQUE (invite)
);
INSERT INTO "tables" VALUES('xqY8r1IslzywLkyP','Y6gwTxkY5BJc4KmW81je9Q','double-down',1,'{"forgetful": false, "repeats-cost": false, "ages": null, "cards": null}','1608fbfa99842518a6e390e9f301401acc9a68bdb2bd9337a76c59080204a276','[{"name": "Anna", "person": "7ZOj6CHRLU1I1vVRySY0cw", "bot": "", "resigned": false}, {"name": "Ada", "person": null, "bot": "club", "resigned": false}]','7ZOj6CHRLU1I1vVRySY0cw',0,'',1.79589047451200366015e+09,1.79589047503503155709e+09,'abandoned',NULL,'','{"number": 1, "previous": "0000000000000000000000000000000000000000000000000000000000000000", "commitment": "8adcc30b16e963bf941287aeb74d420de3a10365903c09e1a61195843e4ebbc8", "link": "2c61f6129e1456321594eb31166fa49fbf43f768a1122a219597d7b15bb3c552", "shares": [], "deferred": false}',0,NULL,NULL,NULL,0);
CREATE TABLE used_challenges (
	digest VARCHAR NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_used_challenges PRIMARY KEY (digest)
);
INSERT INTO "used_challenges" VALUES('121',1700000122.0);
CREATE TABLE wishes (
	person VARCHAR NOT NULL, 
	zone VARCHAR NOT NULL, 
	quiet_from INTEGER NOT NULL, 
	quiet_until INTEGER NOT NULL, 
	push JSON NOT NULL, 
	own JSON NOT NULL, 
	daily_at INTEGER NOT NULL, 
	daily_next FLOAT, 
	summary_at INTEGER NOT NULL, 
	summary_next FLOAT, 
	CONSTRAINT pk_wishes PRIMARY KEY (person), 
	CONSTRAINT fk_wishes_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "wishes" VALUES('7ZOj6CHRLU1I1vVRySY0cw','222',1,2,'[]','[]',2,1700000228.0,1,1700000230.0);
CREATE INDEX ix_records_person ON records (person);
CREATE INDEX ix_tables_public ON tables (public, status, changed);
CREATE INDEX ix_results_person ON results (person);
CREATE INDEX ix_seats_person ON seats (person);
CREATE INDEX ix_reviews_token ON reviews (token);
CREATE INDEX ix_reviews_record ON reviews (record);
CREATE INDEX ix_reviews_at ON reviews (at);
CREATE INDEX ix_dailies_person ON dailies (person);
CREATE INDEX ix_tables_host ON tables (host);
CREATE INDEX ix_sessions_person ON sessions (person);
CREATE INDEX ix_sessions_seen ON sessions (seen);
CREATE INDEX ix_review_jobs_person ON review_jobs (person);
CREATE INDEX ix_review_jobs_token ON review_jobs (token);
CREATE INDEX ix_review_jobs_record ON review_jobs (record);
CREATE INDEX ix_answers_at ON answers (at);
CREATE INDEX ix_answers_person ON answers (person, at);
CREATE INDEX ix_tables_due ON tables (due);
CREATE INDEX ix_ratings_person ON ratings (person, game, number);
CREATE INDEX ix_ratings_token ON ratings (token);
CREATE INDEX ix_recovery_codes_person ON recovery_codes (person);
CREATE INDEX ix_friends_asker ON friends (asker);
CREATE INDEX ix_friends_asked ON friends (asked);
CREATE UNIQUE INDEX ix_calls_called ON calls (called, caller, token);
CREATE INDEX ix_calls_caller ON calls (caller);
CREATE INDEX ix_calls_token ON calls (token);
CREATE INDEX ix_premoves_person ON premoves (person);
CREATE INDEX ix_addresses_person ON addresses (person);
CREATE INDEX ix_wishes_daily_next ON wishes (daily_next);
CREATE INDEX ix_wishes_summary_next ON wishes (summary_next);
CREATE INDEX ix_letters_address ON letters (address);
CREATE INDEX ix_letters_token ON letters (token);
CREATE INDEX ix_letters_at ON letters (at);
CREATE INDEX ix_letters_person ON letters (person, kind, token);
CREATE UNIQUE INDEX ix_circle_members_circle ON circle_members (circle, person);
CREATE INDEX ix_circle_members_person ON circle_members (person);
CREATE INDEX ix_tables_circle ON tables (circle);
CREATE INDEX ix_passkeys_person ON passkeys (person);
CREATE INDEX ix_used_challenges_at ON used_challenges (at);
CREATE UNIQUE INDEX ix_mutes_person ON mutes (person, muted);
CREATE INDEX ix_mutes_muted ON mutes (muted);
CREATE UNIQUE INDEX ix_reports_reporter ON reports (reporter, reported, token);
CREATE INDEX ix_reports_reported ON reports (reported);
CREATE INDEX ix_reports_token ON reports (token);
CREATE INDEX ix_reports_at ON reports (at);
CREATE INDEX ix_evenings_circle ON evenings (circle);
CREATE INDEX ix_evenings_host ON evenings (host);
CREATE INDEX ix_evening_players_person ON evening_players (person);
CREATE INDEX ix_tables_evening ON tables (evening);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('ratings',192);
COMMIT;
