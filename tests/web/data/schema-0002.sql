BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE codes (
	code VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	until FLOAT NOT NULL, 
	CONSTRAINT pk_codes PRIMARY KEY (code), 
	CONSTRAINT fk_codes_person FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
CREATE TABLE log (
	token VARCHAR NOT NULL, 
	ply INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	person VARCHAR, 
	CONSTRAINT pk_log PRIMARY KEY (token, ply), 
	CONSTRAINT fk_log_token FOREIGN KEY(token) REFERENCES tables (token) ON DELETE CASCADE
);
INSERT INTO "log" VALUES('token-06',0,'pace',-1,'fast',1700000007.5,NULL);
INSERT INTO "log" VALUES('token-06',1,'sit',1,'Somebody',1700000009.0,'gone-token-23');
INSERT INTO "log" VALUES('token-06',2,'say',1,'',1700000010.5,'gone-token-23');
INSERT INTO "log" VALUES('token-06',3,'leave',1,'',1700000013.5,NULL);
INSERT INTO "log" VALUES('token-06',4,'sit',1,'Ben',1700000015.0,'token-03');
INSERT INTO "log" VALUES('token-06',5,'sit',2,'Cleo',1700000016.5,'token-04');
INSERT INTO "log" VALUES('token-06',6,'unguided',1,'',1700000018.0,NULL);
INSERT INTO "log" VALUES('token-06',7,'say',0,'hello, 20 cards each?',1700000019.5,'token-02');
INSERT INTO "log" VALUES('token-06',8,'say',1,'psst',1700000022.5,'token-03');
INSERT INTO "log" VALUES('token-06',9,'mute',0,'1',1700000025.5,NULL);
INSERT INTO "log" VALUES('token-06',10,'unmute',0,'1',1700000027.0,NULL);
INSERT INTO "log" VALUES('token-06',11,'mute',0,'1',1700000028.5,NULL);
INSERT INTO "log" VALUES('token-06',12,'mute',2,'0',1700000030.0,NULL);
INSERT INTO "log" VALUES('token-06',13,'move',1,'up 1 1 3',1700000031.5,NULL);
INSERT INTO "log" VALUES('token-06',14,'move',2,'up 3 6 7',1700000033.0,NULL);
INSERT INTO "log" VALUES('token-06',15,'move',0,'up 2 3 9',1700000034.5,NULL);
INSERT INTO "log" VALUES('token-06',16,'move',1,'5',1700000036.0,NULL);
INSERT INTO "log" VALUES('token-06',17,'pace',-1,'slow',1700000037.5,NULL);
INSERT INTO "log" VALUES('token-06',18,'ask',1,'3',1700000039.0,NULL);
INSERT INTO "log" VALUES('token-06',19,'agree',0,'',1700000040.5,NULL);
INSERT INTO "log" VALUES('token-06',20,'agree',2,'',1700000042.0,NULL);
INSERT INTO "log" VALUES('token-06',21,'undo',1,'3',1700000042.0,NULL);
INSERT INTO "log" VALUES('token-06',22,'move',1,'7',1700000043.5,NULL);
INSERT INTO "log" VALUES('token-06',23,'move',2,'8x2',1700000045.0,NULL);
INSERT INTO "log" VALUES('token-06',24,'ask',2,'4',1700000046.5,NULL);
INSERT INTO "log" VALUES('token-06',25,'agree',0,'',1700000048.0,NULL);
INSERT INTO "log" VALUES('token-06',26,'refuse',1,'',1700000049.5,NULL);
INSERT INTO "log" VALUES('token-06',27,'bot',2,'greedy',1700000051.0,NULL);
INSERT INTO "log" VALUES('token-06',28,'move',0,'clear',1700000052.5,NULL);
INSERT INTO "log" VALUES('token-06',29,'move',1,'5',1700000054.0,NULL);
INSERT INTO "log" VALUES('token-06',30,'move',2,'7',1700000055.5,NULL);
INSERT INTO "log" VALUES('token-06',31,'back',2,'',1700000057.0,NULL);
INSERT INTO "log" VALUES('token-06',32,'move',0,'clear',1700000058.5,NULL);
INSERT INTO "log" VALUES('token-06',33,'move',1,'7',1700000060.0,NULL);
INSERT INTO "log" VALUES('token-06',34,'ask',1,'9',1700000061.5,NULL);
INSERT INTO "log" VALUES('token-06',35,'agree',2,'',1700000063.0,NULL);
INSERT INTO "log" VALUES('token-09',0,'pace',-1,'instant',1700000064.5,NULL);
INSERT INTO "log" VALUES('token-09',1,'move',0,'3',1700000066.0,NULL);
INSERT INTO "log" VALUES('token-09',2,'undo',0,'0 seen',1700000067.5,NULL);
INSERT INTO "log" VALUES('token-09',3,'move',0,'4',1700000069.0,NULL);
INSERT INTO "log" VALUES('token-09',4,'move',1,'6',1700000070.5,NULL);
INSERT INTO "log" VALUES('token-09',5,'move',2,'11',1700000072.0,NULL);
INSERT INTO "log" VALUES('token-09',6,'resign',0,'random',1700000073.5,NULL);
INSERT INTO "log" VALUES('token-09',7,'rematch',-1,'token-12',1700000076.5,NULL);
INSERT INTO "log" VALUES('token-12',0,'pace',-1,'instant',1700000075.0,NULL);
INSERT INTO "log" VALUES('token-15',0,'move',0,'0-0 h8 e',1700000079.5,NULL);
INSERT INTO "log" VALUES('token-15',1,'move',0,'0-2 j8 e',1700000081.0,NULL);
INSERT INTO "log" VALUES('token-15',2,'move',1,'2-4 l8 e',1700000082.5,NULL);
INSERT INTO "log" VALUES('token-15',3,'move',0,'1-4 n7 n',1700000084.0,NULL);
INSERT INTO "log" VALUES('token-15',4,'move',1,'0-2 l6 n',1700000085.5,NULL);
INSERT INTO "log" VALUES('token-15',5,'move',0,'1-2 n6 s',1700000087.0,NULL);
INSERT INTO "log" VALUES('token-15',6,'move',1,'2-5 k9 n',1700000088.5,NULL);
INSERT INTO "log" VALUES('token-15',7,'move',0,'3-5 j11 e',1700000090.0,NULL);
INSERT INTO "log" VALUES('token-15',8,'move',1,'1-3 i12 e',1700000091.5,NULL);
INSERT INTO "log" VALUES('token-15',9,'move',0,'3-3 j13 n',1700000093.0,NULL);
INSERT INTO "log" VALUES('token-15',10,'move',0,'3-5 k14 e',1700000094.5,NULL);
INSERT INTO "log" VALUES('token-15',11,'move',1,'1-4 o9 w',1700000096.0,NULL);
INSERT INTO "log" VALUES('token-15',12,'move',0,'0-4 g8 n',1700000097.5,NULL);
INSERT INTO "log" VALUES('token-15',13,'move',1,'3-3 i15 e',1700000099.0,NULL);
INSERT INTO "log" VALUES('token-15',14,'move',0,'2-3 g15 e',1700000100.5,NULL);
INSERT INTO "log" VALUES('token-15',15,'move',1,'0-6 l5 w',1700000102.0,NULL);
INSERT INTO "log" VALUES('token-15',16,'move',0,'1-6 i5 e',1700000103.5,NULL);
INSERT INTO "log" VALUES('token-15',17,'move',1,'1-3 o10 n',1700000105.0,NULL);
INSERT INTO "log" VALUES('token-15',18,'move',0,'3-4 f10 e',1700000106.5,NULL);
INSERT INTO "log" VALUES('token-15',19,'move',1,'1-1 g5 e',1700000108.0,NULL);
INSERT INTO "log" VALUES('token-15',20,'move',0,'4-4 g11 e',1700000109.5,NULL);
INSERT INTO "log" VALUES('token-15',21,'move',0,'4-6 g12 w',1700000111.0,NULL);
INSERT INTO "log" VALUES('token-15',22,'move',1,'2-5 l12 n',1700000112.5,NULL);
INSERT INTO "log" VALUES('token-15',23,'move',0,'0-5 i9 n',1700000114.0,NULL);
INSERT INTO "log" VALUES('token-15',24,'move',1,'2-6 d12 e',1700000115.5,NULL);
INSERT INTO "log" VALUES('token-15',25,'move',0,'2-2 n4 e',1700000117.0,NULL);
INSERT INTO "log" VALUES('token-15',26,'move',1,'0-3 m11 e',1700000118.5,NULL);
INSERT INTO "log" VALUES('token-15',27,'move',0,'3-4 o12 n',1700000120.0,NULL);
INSERT INTO "log" VALUES('token-15',28,'move',1,'2-3 e9 n',1700000121.5,NULL);
INSERT INTO "log" VALUES('token-15',29,'move',0,'3-6 k3 n',1700000123.0,NULL);
INSERT INTO "log" VALUES('token-15',30,'move',1,'0-4 g7 w',1700000124.5,NULL);
INSERT INTO "log" VALUES('token-15',31,'move',0,'4-5 n13 n',1700000126.0,NULL);
INSERT INTO "log" VALUES('token-15',32,'move',1,'2-6 d13 n',1700000127.5,NULL);
INSERT INTO "log" VALUES('token-15',33,'move',0,'4-6 b14 e',1700000129.0,NULL);
INSERT INTO "log" VALUES('token-15',34,'move',1,'0-1 e5 e',1700000130.5,NULL);
INSERT INTO "log" VALUES('token-15',35,'move',0,'0-6 e4 w',1700000132.0,NULL);
INSERT INTO "log" VALUES('token-15',36,'move',1,'0-3 e3 e',1700000133.5,NULL);
INSERT INTO "log" VALUES('token-15',37,'move',0,'5-5 m15 e',1700000135.0,NULL);
INSERT INTO "log" VALUES('token-15',38,'move',1,'0-5 e6 w',1700000136.5,NULL);
INSERT INTO "log" VALUES('token-15',39,'move',0,'1-1 h6 e',1700000138.0,NULL);
INSERT INTO "log" VALUES('token-15',40,'move',1,'1-5 c7 e',1700000139.5,NULL);
INSERT INTO "log" VALUES('token-15',41,'move',0,'1-5 c8 n',1700000141.0,NULL);
INSERT INTO "log" VALUES('token-15',42,'move',1,'0-1 a8 e',1700000142.5,NULL);
INSERT INTO "log" VALUES('token-15',43,'move',0,'0-0 e1 n',1700000144.0,NULL);
INSERT INTO "log" VALUES('token-15',44,'move',1,'4-4 g13 e',1700000145.5,NULL);
INSERT INTO "log" VALUES('token-15',45,'move',0,'1-2 c11 e',1700000147.0,NULL);
INSERT INTO "log" VALUES('token-15',46,'move',1,'1-6 c3 n',1700000148.5,NULL);
INSERT INTO "log" VALUES('token-15',47,'move',0,'2-2 e15 e',1700000150.0,NULL);
INSERT INTO "log" VALUES('token-15',48,'move',1,'3-6 g3 e',1700000151.5,NULL);
INSERT INTO "log" VALUES('token-15',49,'move',0,'2-4 a15 e',1700000153.0,NULL);
INSERT INTO "log" VALUES('token-18',0,'move',0,'flip',1700000156.0,NULL);
INSERT INTO "log" VALUES('token-18',1,'move',0,'flip',1700000157.5,NULL);
INSERT INTO "log" VALUES('token-18',2,'move',0,'flip',1700000159.0,NULL);
INSERT INTO "log" VALUES('token-18',3,'move',0,'flip',1700000160.5,NULL);
INSERT INTO "log" VALUES('token-18',4,'move',0,'flip',1700000162.0,NULL);
INSERT INTO "log" VALUES('token-18',5,'move',0,'flip',1700000163.5,NULL);
INSERT INTO "log" VALUES('token-18',6,'move',0,'flip',1700000165.0,NULL);
INSERT INTO "log" VALUES('token-18',7,'move',0,'flip',1700000166.5,NULL);
INSERT INTO "log" VALUES('token-18',8,'undo',0,'7',1700000168.0,NULL);
INSERT INTO "log" VALUES('token-18',9,'undo',0,'6',1700000169.5,NULL);
INSERT INTO "log" VALUES('token-18',10,'undo',0,'5',1700000171.0,NULL);
INSERT INTO "log" VALUES('token-18',11,'undo',0,'4',1700000172.5,NULL);
INSERT INTO "log" VALUES('token-18',12,'redo',0,'flip',1700000174.0,NULL);
INSERT INTO "log" VALUES('token-18',13,'redo',0,'flip',1700000175.5,NULL);
INSERT INTO "log" VALUES('token-18',14,'bot',0,'greedy',1700000177.0,NULL);
INSERT INTO "log" VALUES('token-18',15,'move',0,'flip',1700000178.5,NULL);
INSERT INTO "log" VALUES('token-18',16,'move',0,'flip',1700000180.0,NULL);
INSERT INTO "log" VALUES('token-18',17,'back',0,'',1700000181.5,NULL);
INSERT INTO "log" VALUES('token-18',18,'undo',0,'7',1700000183.0,NULL);
INSERT INTO "log" VALUES('token-20',0,'sit',1,'Somebody',1700000186.0,'gone-token-24');
INSERT INTO "log" VALUES('token-20',1,'say',1,'',1700000187.5,'gone-token-24');
INSERT INTO "log" VALUES('token-20',2,'move',1,'0-1 g8 e',1700000190.5,NULL);
INSERT INTO "log" VALUES('token-20',3,'move',0,'0-1 h6 n',1700000192.0,NULL);
INSERT INTO "log" VALUES('token-20',4,'resign',1,'club',1700000193.5,NULL);
CREATE TABLE people (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	created FLOAT NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id)
);
INSERT INTO "people" VALUES('token-02','Anna',1700000001.5);
INSERT INTO "people" VALUES('token-03','Ben',1700000003.0);
INSERT INTO "people" VALUES('token-04','Cleo',1700000004.5);
CREATE TABLE records (
	token VARCHAR NOT NULL, 
	person VARCHAR NOT NULL, 
	line TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (token)
);
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
INSERT INTO "results" VALUES('token-09',0,'token-02','double-down',3,3,NULL,0,0,1,3,'resigned',1700000076.5);
INSERT INTO "results" VALUES('token-15',0,'token-03','double-dominoes',2,1,75,1,1,0,50,'boneyard empty',1700000153.0);
INSERT INTO "results" VALUES('token-15',1,'token-03','double-dominoes',2,2,49,0,1,0,50,'boneyard empty',1700000153.0);
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
INSERT INTO "seats" VALUES('token-06',0,'Anna','token-02','',0);
INSERT INTO "seats" VALUES('token-06',1,'Ben','token-03','',0);
INSERT INTO "seats" VALUES('token-06',2,'Cleo','token-04','',0);
INSERT INTO "seats" VALUES('token-09',0,'Anna','token-02','random',1);
INSERT INTO "seats" VALUES('token-09',1,'Ada',NULL,'greedy',0);
INSERT INTO "seats" VALUES('token-09',2,'Ben',NULL,'greedy',0);
INSERT INTO "seats" VALUES('token-12',0,'Anna','token-02','',0);
INSERT INTO "seats" VALUES('token-12',1,'Ada',NULL,'greedy',0);
INSERT INTO "seats" VALUES('token-12',2,'Ben',NULL,'greedy',0);
INSERT INTO "seats" VALUES('token-15',0,'Ben','token-03','',0);
INSERT INTO "seats" VALUES('token-15',1,'Nina','token-03','',0);
INSERT INTO "seats" VALUES('token-18',0,'Cleo','token-04','',0);
INSERT INTO "seats" VALUES('token-20',0,'Anna','token-02','',0);
INSERT INTO "seats" VALUES('token-20',1,'Somebody','gone-token-24','club',1);
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
	turn INTEGER, 
	CONSTRAINT pk_tables PRIMARY KEY (token), 
	CONSTRAINT uq_tables_invite UNIQUE (invite)
);
INSERT INTO "tables" VALUES('token-06','token-07','three-up',1,'{"decks": 1, "colors": 3, "play-on": false, "draw-instead": false, "reverse-ones": false, "games": 0, "swap-piles": false, "pick-for-others": false, "color-four": false, "stall": 50, "cards": null}','seed-08','[{"name": "Anna", "person": "token-02", "bot": "", "resigned": false}, {"name": "Seat 2", "person": null, "bot": "", "resigned": false}, {"name": "Seat 3", "person": null, "bot": "", "resigned": false}]','token-02',1,'',1700000007.5,1700000063.0,'playing',2);
INSERT INTO "tables" VALUES('token-09','token-10','double-down',1,'{"forgetful": false, "repeats-cost": false, "ages": null, "cards": null}','seed-11','[{"name": "Anna", "person": "token-02", "bot": "", "resigned": false}, {"name": "Ada", "person": null, "bot": "greedy", "resigned": false}, {"name": "Ben", "person": null, "bot": "greedy", "resigned": false}]','token-02',0,'',1700000064.5,1700000076.5,'abandoned',NULL);
INSERT INTO "tables" VALUES('token-12','token-13','double-down',1,'{"forgetful": false, "repeats-cost": false, "ages": null, "cards": null}','seed-14','[{"name": "Anna", "person": "token-02", "bot": "", "resigned": false}, {"name": "Ada", "person": null, "bot": "greedy", "resigned": false}, {"name": "Ben", "person": null, "bot": "greedy", "resigned": false}]','token-02',0,'token-09',1700000075.0,1700000075.0,'playing',0);
INSERT INTO "tables" VALUES('token-15','token-16','double-dominoes',1,'{"ages": null, "victory": 0, "board": ["5 . . 2 . . . 4 . . . 2 . . 5", ". . . 3 . . 2 . 2 . . 3 . . .", ". . 4 . . 1 . . . 1 . . 4 . .", "2 3 . . 2 . . 3 . . 2 . . 3 2", ". . . 2 . . 1 . 1 . . 2 . . .", ". . 1 . . 2 . 1 . 2 . . 1 . .", ". 2 . . 1 . . . . . 1 . . 2 .", "4 . . 3 . 1 . * . 1 . 3 . . 4", ". 2 . . 1 . . . . . 1 . . 2 .", ". . 1 . . 2 . 1 . 2 . . 1 . .", ". . . 2 . . 1 . 1 . . 2 . . .", "2 3 . . 2 . . 3 . . 2 . . 3 2", ". . 4 . . 1 . . . 1 . . 4 . .", ". . . 3 . . 2 . 2 . . 3 . . .", "5 . . 2 . . . 4 . . . 2 . . 5"]}','seed-17','[{"name": "Ben", "person": "token-03", "bot": "", "resigned": false}, {"name": "Nina", "person": "token-03", "bot": "", "resigned": false}]','token-03',0,'',1700000078.0,1700000153.0,'over',NULL);
INSERT INTO "tables" VALUES('token-18','token-19','double-or-quits',1,'{"free-flip": false, "redeals": 1}','7','[{"name": "Cleo", "person": "token-04", "bot": "", "resigned": false}]','token-04',0,'',1700000154.5,1700000183.0,'playing',0);
INSERT INTO "tables" VALUES('token-20','token-21','double-dominoes',1,'{"ages": null, "victory": 0, "board": ["5 . . 2 . . . 4 . . . 2 . . 5", ". . . 3 . . 2 . 2 . . 3 . . .", ". . 4 . . 1 . . . 1 . . 4 . .", "2 3 . . 2 . . 3 . . 2 . . 3 2", ". . . 2 . . 1 . 1 . . 2 . . .", ". . 1 . . 2 . 1 . 2 . . 1 . .", ". 2 . . 1 . . . . . 1 . . 2 .", "4 . . 3 . 1 . * . 1 . 3 . . 4", ". 2 . . 1 . . . . . 1 . . 2 .", ". . 1 . . 2 . 1 . 2 . . 1 . .", ". . . 2 . . 1 . 1 . . 2 . . .", "2 3 . . 2 . . 3 . . 2 . . 3 2", ". . 4 . . 1 . . . 1 . . 4 . .", ". . . 3 . . 2 . 2 . . 3 . . .", "5 . . 2 . . . 4 . . . 2 . . 5"]}','seed-22','[{"name": "Anna", "person": "token-02", "bot": "", "resigned": false}, {"name": "Seat 2", "person": null, "bot": "", "resigned": false}]','token-02',0,'',1700000184.5,1700000193.5,'playing',1);
CREATE INDEX ix_records_person ON records (person);
CREATE INDEX ix_tables_public ON tables (public, status, changed);
CREATE INDEX ix_results_person ON results (person);
CREATE INDEX ix_seats_person ON seats (person);
CREATE INDEX ix_reviews_token ON reviews (token);
CREATE INDEX ix_reviews_record ON reviews (record);
CREATE INDEX ix_reviews_at ON reviews (at);
COMMIT;
