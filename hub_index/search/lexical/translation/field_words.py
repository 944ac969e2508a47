"""What programmers and office workers who write Chinese call things, and the English words of a skill about them.

A general dictionary knows 容器 as a vessel and 提示词 not at all. Written from knowledge of the field, before any query
or failure of an evaluation was looked at, and kept that way: add what a colleague would miss, never what a set misses.
The usual glosses of a word, the best first; simplified characters, to which a query is folded before it is looked up;
words for which the dictionary's first gloss is right need no line here.
"""

FIELD_WORDS = """
程序 program, application, app, software
程式 program, code, software, app
程式码 code, source code
应用 app, application
代码 code, source code
代码库 codebase, repository
代码审查 code review
代码评审 code review
代码规范 coding standard, code style, lint
代码检查 lint, linter, static analysis
代码生成 code generation
编程 programming, coding
设计模式 design pattern
最佳实践 best practice
写代码 coding, write code
编译 compile, compiler, build
构建 build
打包 package, bundle
开发 development, develop
前端 frontend, front end
后端 backend, back end
全栈 full stack, fullstack
服务端 server, backend
资料 data, document, material
数据表 table, database table
数据分析 data analysis, analytics
数据可视化 data visualization, chart
数据清洗 data cleaning, data cleansing
数据迁移 data migration
事务 transaction
数据结构 data structure
查询 query, search, lookup
接口 API, interface, endpoint
介面 interface, UI
界面 UI, user interface, GUI
用户界面 user interface, UI, GUI
交互 interaction, interactive
用户体验 UX, UX design, usability
前端框架 frontend framework
框架 framework
组件 component
控件 widget, UI control, UI component
插件 plugin, extension
扩展 extension, extend
函式 function
变数 variable
字串 string
正则表达式 regular expression, regex
正则 regex, regular expression
循环 loop
算法 algorithm
对象 object
泛型 generics
进程 process
并发 concurrency, concurrent
异步 async, asynchronous
协程 coroutine, async
队列 queue
内存 memory
内存泄漏 memory leak
垃圾回收 garbage collection
性能 performance
效能 performance
性能优化 performance optimization
调优 tuning, optimization
重构 refactor, refactoring
除错 debug
排查 troubleshoot, diagnose, debug, root cause
根因 root cause
修复 fix, bug fix, repair
复盘 retrospective, postmortem
故障 failure, incident, outage, fault
报错 error, error message, debug
错误 error, bug
异常 exception, error, anomaly
漏洞 vulnerability, CVE, exploit
注入 injection
逆向 reverse engineering, decompile
堆栈 stack trace, stack
日志 log, logging
埋点 event tracking, analytics, telemetry
告警 alert, alerting
运维 devops, SRE, infrastructure
部署 deploy, deployment
上线 release, launch, deploy
更新 update, upgrade
发布 release, publish
更新日志 changelog, release notes
回滚 rollback
灰度发布 canary release, gradual rollout
流水线 pipeline
持续集成 continuous integration, CI
持续部署 continuous deployment, continuous delivery, CI CD
容器 container, docker
镜像 docker image, container image, mirror
集群 cluster, kubernetes
微服务 microservice
架构 architecture, architect, system design, software architecture
高可用 high availability
网关 gateway
云原生 cloud native
云服务 cloud service
沙箱 sandbox
命令行 command line, CLI
终端 terminal, shell, console
配置 configuration, config, configure
环境变量 environment variable, env
包管理 package manager
版本控制 version control, git
仓库 repository, repo, warehouse
提交 commit, submit
提交信息 commit message
合并请求 merge request, pull request
拉取 pull, fetch
开源 open source
单元测试 unit test
测试驱动开发 TDD, test driven development
集成测试 integration test
回归测试 regression test
端到端测试 end to end test, e2e
自动化测试 test automation, automated testing
测试用例 test case
压测 load testing, stress test, performance test
压力测试 stress test, load testing
基准测试 benchmark
评测 benchmark, evaluation
覆盖率 coverage, test coverage, code coverage
验证 verify, verification, validation
校验 validate, validation, verify
模拟 mock, simulate, simulation
文档 documentation, document, docs
接口文档 API documentation, API docs, openapi, swagger
技术文档 technical documentation, technical writing
需求文档 requirements document, PRD
原型 prototype, wireframe
迭代 iteration, sprint
敏捷 agile
项目 project
规划 plan, planning, roadmap
看板 kanban, dashboard, board
报表 report
登录 login, signin, authentication
登入 login, signin, authentication
注册 register, registration, signup
鉴权 authentication, authorization, auth
认证 authentication, auth, certification
授权 authorization, oauth, license
权限 permission, access control
令牌 token, access token, JWT
密钥 secret, API key, secret key
密码 password
解密 decrypt
证书 certificate, TLS, SSL
安全审计 security audit
渗透测试 penetration testing, pentest
爬虫 crawler, scraper, scraping
抓取 scrape, fetch, crawl
爬取 crawl, scrape
网页 web page, webpage
网站 website, site
浏览器自动化 browser automation
截图 screenshot, screen capture
截屏 screenshot, screen capture
录屏 screen recording, screencast
链接 link, URL
短链接 short URL, URL shortener
二维码 QR code, qrcode
域名 domain, DNS
代理 proxy, agent
文件 file, document
文件夹 folder, directory
目录 directory, table of contents
解压 extract, unzip, decompress
同步 sync, synchronize
批量 batch, bulk
导出 export
导入 import
格式转换 format conversion, convert
转换 convert, conversion
解析 parse, parsing
提取 extract, extraction
去重 deduplicate, deduplication
整理 organize, tidy, cleanup
对比 compare, comparison, diff
排版 layout, formatting, typesetting
响应式 responsive design, responsive layout
落地页 landing page
无障碍 accessibility, a11y, WCAG
样式 style, CSS
布局 layout
配色 color palette, color scheme
字体 font
封面 cover image, cover page, thumbnail
设计稿 mockup, design mockup, figma
视觉设计 visual design
品牌 brand
人工智能 artificial intelligence, AI
机器学习 machine learning
强化学习 reinforcement learning
大模型 LLM, large language model
大语言模型 large language model, LLM
语言模型 language model
多模态 multimodal
微调 fine tuning, finetuning, lora
推理 inference, reasoning
提示词 prompt
提示工程 prompt engineering
提示词工程 prompt engineering
智能体 agent, AI agent
多智能体 multi agent, multiagent
子代理 subagent, sub agent
子智能体 subagent, sub agent
聊天机器人 chatbot, chat bot
机器人 bot, robot
技能 skill
工具调用 tool calling, function calling
上下文窗口 context window
记忆 memory
向量 vector, embedding
向量数据库 vector database
嵌入 embedding, embed
语义搜索 semantic search
检索 retrieval, search
检索增强 retrieval augmented, RAG
联网搜索 web search
知识图谱 knowledge graph
编排 orchestration, orchestrate
任务 task
定时任务 scheduled task, cron
调度 scheduling, orchestration
事件驱动 event driven
文生图 text to image, image generation
生图 image generation, text to image
图像生成 image generation
图片 image, picture
图像识别 image recognition, computer vision
抠图 background removal, remove background
修图 photo editing, image editing
文字识别 OCR, text recognition, image to text
影片 video
剪辑 video editing, clip
字幕 subtitle, caption, SRT
配音 voiceover, dubbing, narration
语音合成 text to speech, TTS, speech synthesis
文字转语音 text to speech, TTS
语音识别 speech recognition, transcription, speech to text
语音转文字 speech to text, transcription
语音 voice, speech, audio
转写 transcribe, transcription
转录 transcribe, transcription
直播 live stream, livestream
幻灯片 slides, powerpoint, pptx, presentation
演示文稿 slides, powerpoint, pptx, presentation
简报 presentation, slides, powerpoint, briefing
表格 spreadsheet, table, excel
电子表格 spreadsheet, excel, xlsx
试算表 spreadsheet, excel
透视表 pivot table
流程图 flowchart, diagram
架构图 architecture diagram
时序图 sequence diagram
思维导图 mind map, mindmap
甘特图 gantt chart
笔记 note, note taking
文章 article, blog post
文案 copywriting, marketing copy, ad copy
润色 polish, proofread
改写 rewrite, paraphrase
摘要 summary, summarize
总结 summarize, summary
本地化 localization, l10n, i18n, translation
国际化 internationalization, i18n
多语言 multilingual, multi language, i18n
周报 weekly report, status report
日报 daily report
会议纪要 meeting minutes, meeting notes
会议记录 meeting notes, meeting minutes
待办 todo, task
待办事项 todo, task
日程 schedule, calendar
邮件 email, mail
邮箱 email, mailbox, inbox
通知 notification
推送 push notification, push
消息 message
简历 resume, CV
招聘 recruiting, hiring
法律 legal, law
报销 expense, reimbursement
财务 finance, financial, accounting
财报 earnings, financial report, financial statement
记账 bookkeeping, expense tracking, accounting
股票 stock, stock market, equity
基金 fund, mutual fund, ETF
行情 market data, stock quote, market price
量化交易 quantitative trading, algorithmic trading, quant
回测 backtest
加密货币 cryptocurrency, crypto
智能合约 smart contract
钱包 wallet
支付 payment
电商 ecommerce
商品 product
库存 inventory
物流 logistics, shipment, delivery
快递 courier, parcel, express delivery, package tracking
客服 customer service, customer support
工单 ticket, work order
客户 customer, client
推广 promotion, marketing
搜索引擎优化 SEO, search engine optimization
竞品 competitor
竞品分析 competitor analysis, competitive analysis
市场调研 market research
调研 research
舆情 public opinion, sentiment
热搜 trending, hot search
热点 trending, hot topic
公众号 wechat official account, wechat
小程序 mini program, miniprogram, wechat
微信 wechat, weixin
企业微信 wecom, wechat work
钉钉 dingtalk
飞书 feishu, lark
小红书 xiaohongshu, rednote, xhs
抖音 douyin, tiktok
微博 weibo
知乎 zhihu
哔哩哔哩 bilibili
淘宝 taobao
支付宝 alipay
百度 baidu
腾讯 tencent
阿里云 aliyun, alibaba cloud
谷歌 google
鸿蒙 harmonyos, openharmony, arkts
微软 microsoft
手机 mobile, phone
移动端 mobile
物联网 iot, smart device, sensor
智能家居 smart home, home assistant
嵌入式 embedded system, firmware, microcontroller
游戏引擎 game engine
三维 3D
建模 modeling, 3D modeling, data modeling
着色器 shader
论文 paper, academic paper, research paper
文献 literature, paper
文献综述 literature review
参考文献 citation, bibliography, reference list, bibtex
学术 academic
教程 tutorial
汇率 exchange rate, currency
机票 flight, airline ticket
酒店 hotel, hotel booking, accommodation
旅游 travel, trip
行程 itinerary, trip
导航 navigation, route
食谱 recipe, cooking, meal plan
健身 fitness, workout, exercise, gym
"""
