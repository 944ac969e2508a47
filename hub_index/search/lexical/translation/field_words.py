"""What programmers and office workers who write Chinese call things, and the English words of a skill about them.

A general dictionary knows 容器 as a vessel and 提示词 not at all. Written from knowledge of the field, before any query
or failure of an evaluation was looked at, and kept that way: add what a colleague would miss, never what a set misses.
The usual glosses of a word, the best first; simplified characters, to which a query is folded before it is looked up;
words for which the dictionary's first gloss is right need no line here.
"""

FIELD_WORDS = """
程序 program, application
程式 program, code
程式码 code, source code
代码 code, source code
源代码 source code
源码 source code
代码库 codebase, repository
代码审查 code review
代码评审 code review
代码生成 code generation
编程 programming, coding
写代码 coding, write code
开发 development, develop
开发者 developer
前端 frontend, front end
后端 backend, back end
全栈 full stack, fullstack
服务端 server, backend
数据库 database
资料库 database
资料 data, material
数据表 table, database table
数据分析 data analysis, analytics
数据可视化 data visualization, chart
数据清洗 data cleaning
数据迁移 data migration
数据结构 data structure
索引 index
查询 query, search, lookup
接口 API, interface, endpoint
介面 interface, UI
界面 UI, user interface
用户界面 user interface, UI
交互 interaction, interactive
用户体验 user experience, UX
前端框架 frontend framework
框架 framework
组件 component
控件 widget, control
插件 plugin, extension
扩展 extension, extend
模块 module
函数 function
函式 function
变数 variable
字串 string
正则表达式 regular expression, regex
正则 regex, regular expression
循环 loop
算法 algorithm
对象 object
物件 object
类型 type
泛型 generics
线程 thread
进程 process
并发 concurrency, concurrent
异步 async, asynchronous
协程 coroutine, async
队列 queue
缓存 cache, caching
内存 memory
记忆体 memory
内存泄漏 memory leak
垃圾回收 garbage collection
性能 performance
性能优化 performance optimization
优化 optimize, optimization
调优 tuning, optimization
重构 refactor, refactoring
调试 debug, debugging
除错 debug
排查 troubleshoot, diagnose
故障 failure, fault, incident
报错 error
错误 error, bug
异常 exception, error, anomaly
漏洞 vulnerability
堆栈 stack trace, stack
日志 log, logging
埋点 event tracking, analytics
监控 monitoring, monitor
告警 alert, alerting
运维 operations, devops
部署 deploy, deployment
上线 release, launch, deploy
发布 release, publish
回滚 rollback
灰度发布 canary release, gradual rollout
流水线 pipeline
持续集成 continuous integration, CI
持续部署 continuous deployment, CD
容器 container, docker
镜像 image, docker image, mirror
集群 cluster
微服务 microservice
架构 architecture
分布式 distributed
高可用 high availability
网关 gateway
云原生 cloud native
云服务 cloud service
沙箱 sandbox
脚本 script
命令行 command line, CLI
终端 terminal
配置 configuration, config, configure
环境变量 environment variable
依赖 dependency
包管理 package manager
版本控制 version control, git
版本 version
仓库 repository, repo, warehouse
分支 branch
提交 commit, submit
合并 merge
合并请求 merge request, pull request
冲突 conflict
拉取 pull, fetch
开源 open source
测试 test, testing
单元测试 unit test
集成测试 integration test
端到端测试 end to end test, e2e
自动化测试 test automation, automated testing
测试用例 test case
压测 load testing, stress test
覆盖率 coverage
断言 assertion
模拟 mock, simulate, simulation
文档 documentation, document, docs
接口文档 API documentation
技术文档 technical documentation
需求 requirement
需求文档 requirements document, PRD
产品经理 product manager
原型 prototype
迭代 iteration, sprint
敏捷 agile
项目 project
看板 kanban, dashboard, board
仪表盘 dashboard
报表 report
登录 login, sign in
登入 login, sign in
注册 register, sign up
鉴权 authentication, authorization
认证 authentication, certification
授权 authorization, license
权限 permission, access control
令牌 token
密钥 key, secret
密码 password
加密 encryption, encrypt
解密 decrypt
证书 certificate
安全审计 security audit
渗透测试 penetration testing
爬虫 crawler, scraper, scraping
抓取 scrape, fetch, crawl
爬取 crawl, scrape
网页 web page, webpage
网站 website, site
网络 network
网路 network
浏览器 browser
浏览器自动化 browser automation
自动化 automation, automate
截图 screenshot
截屏 screenshot
录屏 screen recording
链接 link, URL
短链接 short URL
二维码 QR code
域名 domain, DNS
代理 proxy, agent
文件 file, document
档案 file
文件夹 folder, directory
目录 directory, table of contents
压缩 compress, compression
解压 extract, unzip, decompress
同步 sync, synchronize
批量 batch, bulk
批处理 batch processing
导出 export
导入 import
格式转换 format conversion, convert
转换 convert, conversion
解析 parse, parsing
提取 extract, extraction
去重 deduplicate, deduplication
模板 template
排版 layout, formatting, typesetting
渲染 render, rendering
响应式 responsive
样式 style, CSS
布局 layout
图标 icon
配色 color palette, color scheme
字体 font
海报 poster
封面 cover, thumbnail
设计稿 design mockup, design
视觉设计 visual design
品牌 brand
人工智能 artificial intelligence, AI
机器学习 machine learning
强化学习 reinforcement learning
模型 model
大模型 LLM, large language model
大语言模型 large language model, LLM
语言模型 language model
多模态 multimodal
训练 training, train
微调 fine tuning
推理 inference, reasoning
提示词 prompt
提示工程 prompt engineering
提示词工程 prompt engineering
智能体 agent, AI agent
多智能体 multi agent
子代理 subagent
助手 assistant
聊天机器人 chatbot
机器人 bot, robot
技能 skill
工具调用 tool calling, function calling
上下文 context
上下文窗口 context window
记忆 memory
向量 vector, embedding
向量数据库 vector database
嵌入 embedding, embed
语义搜索 semantic search
检索 retrieval, search
检索增强 retrieval augmented, RAG
知识库 knowledge base
知识图谱 knowledge graph
工作流 workflow
任务 task
定时任务 scheduled task, cron
调度 scheduling, scheduler
事件驱动 event driven
回调 callback
钩子 hook
网络钩子 webhook
文生图 text to image, image generation
生图 image generation
图像生成 image generation
图片 image, picture
图像识别 image recognition
抠图 background removal, remove background
修图 photo editing, image editing
水印 watermark
文字识别 OCR, text recognition
视频 video
影片 video
剪辑 video editing, clip
短视频 short video
字幕 subtitle, caption
配音 voiceover, dubbing
语音合成 text to speech, TTS, speech synthesis
语音识别 speech recognition, transcription, speech to text
语音 voice, speech, audio
音频 audio
转写 transcribe, transcription
转录 transcribe, transcription
播客 podcast
直播 live stream, livestream
幻灯片 slides, presentation, powerpoint
演示文稿 presentation, slides, powerpoint
简报 presentation, briefing
表格 spreadsheet, table, excel
电子表格 spreadsheet, excel
试算表 spreadsheet
流程图 flowchart, diagram
架构图 architecture diagram
时序图 sequence diagram
思维导图 mind map
图表 chart, diagram
甘特图 gantt chart
笔记 note, notes
文章 article, post
博客 blog
文案 copywriting, copy
写作 writing
润色 polish, proofread
改写 rewrite, paraphrase
摘要 summary, summarize
总结 summarize, summary
翻译 translate, translation
本地化 localization
国际化 internationalization, i18n
多语言 multilingual
周报 weekly report
日报 daily report
会议纪要 meeting minutes, meeting notes
会议记录 meeting notes, meeting minutes
待办 todo, task
待办事项 todo, task
日程 schedule, calendar
日历 calendar
提醒 reminder
邮件 email, mail
邮箱 email, mailbox
通知 notification
推送 push notification, push
消息 message
群聊 group chat
简历 resume, CV
面试 interview
招聘 recruiting, hiring
合同 contract
发票 invoice
报销 expense, reimbursement
财报 financial report, earnings
记账 bookkeeping, expense tracking
股票 stock
基金 fund
行情 market data, quote
量化交易 quantitative trading
回测 backtest
加密货币 cryptocurrency, crypto
智能合约 smart contract
钱包 wallet
支付 payment
电商 ecommerce
订单 order
商品 product
库存 inventory
物流 logistics, shipping
快递 package, delivery, courier
客服 customer service, customer support
客户 customer, client
营销 marketing
推广 promotion, marketing
搜索引擎优化 SEO, search engine optimization
竞品 competitor
竞品分析 competitor analysis, competitive analysis
市场调研 market research
调研 research
舆情 public opinion, sentiment
热搜 trending
热点 trending, hot topic
社交媒体 social media
公众号 wechat official account, wechat
小程序 mini program, wechat
微信 wechat
企业微信 wecom, wechat work
钉钉 dingtalk
飞书 feishu, lark
小红书 xiaohongshu, rednote
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
安卓 android
鸿蒙 harmonyos
微软 microsoft
手机 mobile, phone
移动端 mobile
桌面 desktop
硬件 hardware
物联网 IoT
智能家居 smart home, home assistant
嵌入式 embedded
单片机 microcontroller
游戏 game
游戏引擎 game engine
三维 3D
建模 modeling
着色器 shader
论文 paper, academic paper
文献 literature, paper
参考文献 references, citation, bibliography
学术 academic
教程 tutorial
学习 learning, study
汇率 exchange rate, currency
机票 flight, airline ticket
酒店 hotel
旅游 travel, trip
行程 itinerary, trip
导航 navigation, route
食谱 recipe
健身 fitness, workout
"""
